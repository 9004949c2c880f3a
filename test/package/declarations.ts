/**
 * `npm pack` runs this first: it writes the declarations of what the package exports into dist/,
 * beside the code they are of.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { REPOSITORY } from '../stack/repository.js';

const DIST = path.join(REPOSITORY, 'dist');
const TSC = path.join(REPOSITORY, 'node_modules/typescript-native/bin/tsc');
const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;

try {
  await writeDeclarations();
} catch (error) {
  const { message, stdout } = error as Error & { readonly stdout?: string };
  console.error(stdout || message);
  process.exitCode = 1;
}

/** Made aside, so that a build of the clone never sees half of them. */
async function writeDeclarations(): Promise<void> {
  const made = await mkdtemp(path.join(tmpdir(), 'backstep-declarations-'));
  try {
    const args = [TSC, '-p', 'tsconfig.package.json', '--declarationDir', made];
    await promisify(execFile)(process.execPath, args, { cwd: REPOSITORY });
    const wanted = await reachable(made);
    await removeOthers(wanted);
    await Promise.all([...wanted].map(([file, text]) => writeFile(path.join(DIST, file), text)));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** Declarations that an entry of the package leads to, with their texts. */
async function reachable(made: string): Promise<ReadonlyMap<string, string>> {
  const { exports } = JSON.parse(await readFile(path.join(REPOSITORY, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly types?: string }>>;
  };
  const entries = Object.values(exports).flatMap(({ types }) => types ?? []);
  const todo = entries.map((file) => path.posix.relative('dist', file));
  const found = new Map<string, string>();
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (found.has(file)) continue;
    const text = await readFile(path.join(made, file), 'utf8');
    found.set(file, text);
    todo.push(...importsOf(file, text));
  }
  return found;
}

function importsOf(file: string, text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, specifier = '']) => {
    if (!/^[#.]/.test(specifier)) return [];
    const target = specifier.startsWith('#')
      ? fileURLToPath(import.meta.resolve(specifier))
      : path.join(DIST, path.dirname(file), specifier);
    const name = path.relative(DIST, target).split(path.sep).join('/');
    return [name.replace(/\.js$/, '.d.ts')];
  });
}

async function removeOthers(wanted: ReadonlyMap<string, string>): Promise<void> {
  const files = await readdir(DIST, { recursive: true });
  const others = files
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.d.ts') && !wanted.has(file));
  await Promise.all(others.map((file) => rm(path.join(DIST, file))));
}
