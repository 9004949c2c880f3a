/**
 * Turns the TypeScript of the repository into dist/, file by file, and only what is stale.
 *
 * Types are the type checker's business (`npm run typecheck`): leaving them out is what makes it
 * possible to build before every command without anyone noticing.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { swcOptions } from './swc-options.mjs';

const SOURCES = ['libs', 'apps', 'workshop', 'examples', 'bench', 'test'];
/** Built as a whole, by `console.mjs`. */
const BUNDLED = 'apps/console';
const SPEC = /[.-]spec\.ts$/;
const DECLARATION = /\.d\.[cm]?ts$/;
const NOT_AN_ASSET = /(\.md|\.tsx?|^tsconfig.*\.json|^\..*)$/;

/**
 * Says what is stale, without changing anything.
 *
 * @param {string} root The repository.
 */
export async function planBuild(root) {
  const dist = path.join(root, 'dist');
  const stateFile = path.join(dist, '.build.json');
  const key = await buildKey(root);
  const known = await readState(stateFile, key);
  const found = new Map();
  await Promise.all(SOURCES.map((name) => findSources(root, name, found)));
  const stale = [];
  await Promise.all(
    [...found].map(async ([file, stamp]) => {
      const fresh = known.get(file) === stamp && (await exists(outputsOf(dist, file)[0]));
      if (!fresh) stale.push(file);
    }),
  );
  const gone = [...known.keys()].filter((file) => !found.has(file));
  return { root, dist, stateFile, key, found, stale, gone };
}

/**
 * Builds what {@link planBuild} found stale and removes what has no source any more.
 *
 * @param {string} root The repository.
 * @returns {Promise<{built: number, removed: number}>}
 */
export async function build(root) {
  const todo = await planBuild(root);
  if (isFresh(todo)) return { built: 0, removed: 0 };
  const swc = todo.stale.some(isCode) ? (await import('@swc/core')).default : undefined;
  const failures = await inParallel(todo.stale, (file) => buildFile(todo, file, swc));
  await inParallel(todo.gone, (file) => removeOutputs(todo.dist, file));
  for (const { file } of failures) todo.found.set(file, 'failed');
  await writeState(todo);
  if (failures.length > 0) throw new BuildError(failures);
  return { built: todo.stale.length, removed: todo.gone.length };
}

/** Whether there is nothing to build and nothing to remove. */
export function isFresh(plan) {
  return plan.stale.length === 0 && plan.gone.length === 0;
}

/** The sources that could not be compiled: the compiler's own messages, file by file. */
export class BuildError extends Error {
  constructor(failures) {
    super(failures.map(({ file, error }) => `${file}\n${error.message}`).join('\n'));
    this.name = 'BuildError';
  }
}

/** Changes when the same source would give another output. */
async function buildKey(root) {
  const files = [
    'scripts/compile.mjs',
    'scripts/swc-options.mjs',
    'node_modules/@swc/core/package.json',
  ];
  return (await hashFiles(root, files)).digest('hex');
}

/**
 * A hash of the contents of files, to which more may be added.
 *
 * @param {string} root The repository.
 * @param {readonly string[]} files From there. One that is absent counts as such.
 */
export async function hashFiles(root, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(await readFile(path.join(root, file)).catch(() => 'absent'));
  }
  return hash;
}

async function readState(stateFile, key) {
  try {
    const state = JSON.parse(await readFile(stateFile, 'utf8'));
    // Files of another key stay known, as stale: else their outputs could never be removed.
    const entries = Object.entries(state.files);
    return new Map(state.key === key ? entries : entries.map(([file]) => [file, 'stale']));
  } catch {
    return new Map();
  }
}

function writeState({ stateFile, key, found }) {
  return writeWhole(stateFile, JSON.stringify({ key, files: Object.fromEntries(found) }));
}

async function findSources(root, folder, found) {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
  await Promise.all(
    entries.map(async (entry) => {
      const file = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && file !== BUNDLED) await findSources(root, file, found);
        return;
      }
      if (!isCode(file) && !isAsset(file)) return;
      const info = await stat(path.join(root, file)).catch(() => undefined);
      if (info) found.set(file, `${info.mtimeMs}:${info.size}`);
    }),
  );
}

function isCode(file) {
  return file.endsWith('.ts') && !SPEC.test(file) && !DECLARATION.test(file);
}

/** Test data is read where it lies, so only what ships beside code is copied. */
function isAsset(file) {
  return !file.startsWith('test/') && !NOT_AN_ASSET.test(path.posix.basename(file));
}

/** The output files of a source, the one that is looked for first; declarations come from `tsc`. */
function outputsOf(dist, file) {
  const out = path.join(dist, file);
  if (!isCode(file)) return [out];
  const stem = out.slice(0, -'.ts'.length);
  return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`, `${stem}.d.ts.map`];
}

async function buildFile({ root, dist }, file, swc) {
  const source = path.join(root, file);
  const [out, map] = outputsOf(dist, file);
  await mkdir(path.dirname(out), { recursive: true });
  if (!isCode(file)) return writeWhole(out, await readFile(source));
  const { code, map: sourceMap } = await swc.transform(await readFile(source, 'utf8'), {
    ...swcOptions,
    filename: source,
    sourceMaps: true,
    inlineSourcesContent: false,
    sourceFileName: path.relative(path.dirname(out), source).split(path.sep).join('/'),
  });
  await writeWhole(map, sourceMap);
  return writeWhole(out, `${code}//# sourceMappingURL=${path.basename(map)}\n`);
}

/** By renaming: a process that starts meanwhile reads the old file or the new one, never half. */
export async function writeWhole(file, content) {
  const part = `${file}.${process.pid}.part`;
  await writeFile(part, content);
  await rename(part, file);
}

async function removeOutputs(dist, file) {
  const outputs = outputsOf(dist, file);
  await Promise.all(outputs.map((output) => rm(output, { force: true })));
  for (let folder = path.dirname(outputs[0]); folder !== dist; folder = path.dirname(folder)) {
    const emptied = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!emptied) return;
  }
}

async function inParallel(files, work) {
  const queue = [...files];
  const failures = [];
  const drain = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      await work(file).catch((error) => failures.push({ file, error }));
    }
  };
  await Promise.all(Array.from({ length: 4 * availableParallelism() }, drain));
  return failures;
}

function exists(file) {
  return stat(file).then(
    () => true,
    () => false,
  );
}
