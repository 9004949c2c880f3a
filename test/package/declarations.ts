/**
 * `npm pack` runs this first: it writes the declarations of what the package exports into dist/,
 * beside the code they are of.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../stack/repository.js';

const DIST = path.join(REPOSITORY, 'dist');
const TSC = path.join(REPOSITORY, 'node_modules/typescript-native/bin/tsc');
const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;

/** The `imports` of the package: patterns that end in a star, the longer ones first. */
type Aliases = Readonly<Record<string, string>>;

try {
  await writeDeclarations();
} catch (error) {
  const { message, stdout } = error as Error & { readonly stdout?: string };
  console.error(stdout || message);
  process.exitCode = 1;
}

/** Made aside, so that whatever reads them meanwhile never sees half of one. */
async function writeDeclarations(): Promise<void> {
  const made = await mkdtemp(path.join(tmpdir(), 'backstep-declarations-'));
  try {
    const args = [TSC, '-p', 'tsconfig.package.json', '--declarationDir', made];
    await promisify(execFile)(process.execPath, args, { cwd: REPOSITORY });
    const wanted = await reachable(made);
    await removeOthers(wanted);
    await Promise.all([...wanted].map(put));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function put([file, text]: readonly [string, string]): Promise<void> {
  const target = path.join(DIST, file);
  const aside = `${target}.${process.pid}`;
  await writeFile(aside, text);
  await rename(aside, target);
}

/** Declarations that an entry of the package leads to, with their texts. */
async function reachable(made: string): Promise<ReadonlyMap<string, string>> {
  const { exports, imports } = JSON.parse(
    await readFile(path.join(REPOSITORY, 'package.json'), 'utf8'),
  ) as {
    readonly exports: Readonly<Record<string, { readonly types?: string }>>;
    readonly imports: Aliases;
  };
  const entries = Object.values(exports).flatMap(({ types }) => types ?? []);
  const todo = entries.map((file) => path.posix.relative('dist', file));
  const found = new Map<string, string>();
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (found.has(file)) continue;
    const text = await readFile(path.join(made, file), 'utf8');
    found.set(file, text);
    todo.push(...importsOf(file, text, imports));
  }
  return found;
}

function importsOf(file: string, text: string, aliases: Aliases): readonly string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, specifier = '']) => {
    const folder = path.posix.dirname(file);
    const target = specifier.startsWith('.')
      ? path.posix.join(folder, specifier)
      : aliased(specifier, aliases);
    return target === null ? [] : [target.replace(/\.js$/, '.d.ts')];
  });
}

/** The file in dist/ that an alias of the package stands for, by the first pattern that fits. */
function aliased(specifier: string, aliases: Aliases): string | null {
  for (const [pattern, target] of Object.entries(aliases)) {
    const start = pattern.slice(0, -1);
    if (!specifier.startsWith(start)) continue;
    return path.posix.relative('dist', target.replace('*', specifier.slice(start.length)));
  }
  return null;
}

async function removeOthers(wanted: ReadonlyMap<string, string>): Promise<void> {
  const files = await readdir(DIST, { recursive: true });
  const others = files
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.d.ts') && !wanted.has(file));
  await Promise.all(others.map((file) => rm(path.join(DIST, file), { force: true })));
}
