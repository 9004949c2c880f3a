/**
 * Compiles the TypeScript of the repository into dist/, specs too, and puts its data beside it.
 * Types are checked by `npm run typecheck`: leaving them out makes it possible to build before
 * every command. After a change of one file this takes 2.6 s of processor time.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CODE } from './outputs.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = path.join(ROOT, 'dist');
const TSC = path.join(ROOT, 'node_modules/typescript-native/bin/tsc');
const FLAGS = ['-p', 'tsconfig.json', '--noCheck', '--tsBuildInfoFile', 'dist/.tsbuildinfo'];
const OUTPUT = /\.(js|d\.ts)(\.map)?$/;
const NOT_DATA = /(\.md|\.tsx?|^tsconfig.*\.json|^\..*)$/;

try {
  execFileSync(process.execPath, [TSC, ...FLAGS], { cwd: ROOT, encoding: 'utf8' });
} catch (error) {
  console.error(error.stdout || error.message);
  process.exit(1);
}
for (const folder of CODE) {
  for (const file of filesOf(path.join(DIST, folder))) removeWithoutSource(`${folder}/${file}`);
  // Data of tests is read where it lies.
  if (folder === 'test') continue;
  for (const file of filesOf(path.join(ROOT, folder))) copyData(`${folder}/${file}`);
}

function filesOf(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.split(path.sep).includes('node_modules'));
}

function removeWithoutSource(file) {
  const source = path.join(ROOT, file);
  if (isOfConsole(file) || existsSync(source)) return;
  if (!existsSync(source.replace(OUTPUT, '.ts'))) rmSync(path.join(DIST, file));
}

function copyData(file) {
  if (isOfConsole(file) || NOT_DATA.test(path.basename(file))) return;
  const target = path.join(DIST, file);
  mkdirSync(path.dirname(target), { recursive: true });
  copyFileSync(path.join(ROOT, file), target);
}

function isOfConsole(file) {
  return file.split(path.sep).join('/').startsWith('apps/console/');
}
