/**
 * `npm pack` runs this first: builds what is stale, and writes the declarations of what the package
 * exports into dist/, beside the code they are of.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ready } from './ready.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = path.join(ROOT, 'dist');
const TSC = path.join(ROOT, 'node_modules/typescript-native/bin/tsc');
const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;

try {
  await ready();
  await writeDeclarations();
} catch (error) {
  console.error(error.stdout || error.message);
  process.exitCode = 1;
}

/** Made aside, so that a build of the clone never sees half of them. */
async function writeDeclarations() {
  const made = await mkdtemp(path.join(tmpdir(), 'backstep-declarations-'));
  try {
    const args = [TSC, '-p', 'tsconfig.package.json', '--declarationDir', made];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    const wanted = await reachable(made);
    await removeOthers(wanted);
    await Promise.all([...wanted].map(([file, text]) => writeFile(path.join(DIST, file), text)));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** Declarations that an entry of the package leads to, with their texts. */
async function reachable(made) {
  const { exports } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
  const entries = Object.values(exports).flatMap(({ types }) => types ?? []);
  const todo = entries.map((file) => path.posix.relative('dist', file));
  const found = new Map();
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (found.has(file)) continue;
    const text = await readFile(path.join(made, file), 'utf8');
    found.set(file, text);
    todo.push(...importsOf(file, text));
  }
  return found;
}

function importsOf(file, text) {
  return [...text.matchAll(IMPORT)].flatMap(([, specifier]) => {
    const library = /^#(.+)$/.exec(specifier)?.[1];
    if (library !== undefined) return [`libs/${library}/src/index.d.ts`];
    if (!specifier.startsWith('.')) return [];
    const target = path.posix.join(path.posix.dirname(file), specifier);
    return [target.replace(/\.js$/, '.d.ts')];
  });
}

async function removeOthers(wanted) {
  const files = await readdir(DIST, { recursive: true });
  const others = files
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.d.ts') && !wanted.has(file));
  await Promise.all(others.map((file) => rm(path.join(DIST, file))));
}
