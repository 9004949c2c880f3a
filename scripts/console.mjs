/**
 * Builds the console, `apps/console`, into static files of `dist/apps/console`. Run as a program:
 * nothing of the bundler stays in the process that wanted the build.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { bundled } from './bundled.mjs';
import { writeWhole } from './compile.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = 'apps/console';
/** The library that it shares with the server. */
const SHARED = 'libs/kinds/src';
const STATE = 'dist/.console.json';
const SPEC = /[.-]spec\.tsx?$/;
const PACKED = /\.(css|html|js|json|svg|txt)$/;
/** Smaller files fit one packet as they are. */
const PACKED_BYTES_MIN = 1_024;
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };

/** Its versions and these files decide what becomes of the same source. */
const MAKERS = [
  'scripts/console.mjs',
  // Decides what the editor suggests.
  'schemas/flow.v1.json',
  ...[
    ...['vite', 'preact', 'preact-iso', '@xyflow/react', '@dagrejs/dagre', 'jsonc-parser'],
    '@tanstack/virtual-core',
    ...['state', 'view', 'language', 'commands', 'autocomplete', 'lint', 'search', 'merge'].map(
      (name) => `@codemirror/${name}`,
    ),
  ].map((name) => `node_modules/${name}/package.json`),
];

const page = bundled(ROOT, STATE, async () => {
  const lists = [SOURCE, SHARED].map(async (folder) =>
    (await filesOf(path.join(ROOT, folder))).map((file) => path.join(folder, file)),
  );
  const files = (await Promise.all(lists)).flat();
  return { makers: MAKERS, sources: files.filter((file) => !SPEC.test(file)).sort() };
});

/** Whether what was built last is there, and is what would be built now. */
export async function isConsoleFresh() {
  return existsSync(path.join(ROOT, 'dist', SOURCE, 'index.html')) && (await page.isFresh());
}

async function buildConsole() {
  await mkdir(path.join(ROOT, 'dist'), { recursive: true });
  // Made aside: a process that starts meanwhile reads the old console or the new one.
  const made = await mkdtemp(path.join(ROOT, 'dist', '.console-'));
  try {
    const { build } = await import('vite');
    const configFile = path.join(ROOT, SOURCE, 'vite.config.mjs');
    await build({ configFile, logLevel: 'error', build: { outDir: made, emptyOutDir: true } });
    await pack(made);
    await publish(made);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** Compressed once here, and not for every request. */
async function pack(folder) {
  const files = (await filesOf(folder)).filter((file) => PACKED.test(file));
  await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(path.join(folder, file));
      if (bytes.length < PACKED_BYTES_MIN) return;
      const target = path.join(folder, file);
      await writeWhole(`${target}.br`, await promisify(brotliCompress)(bytes, QUALITY));
      await writeWhole(`${target}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}

/** The page last, because it names the others. */
async function publish(made) {
  const target = path.join(ROOT, 'dist', SOURCE);
  const files = await filesOf(made);
  const isPage = (file) => file.startsWith('index.html');
  const inOrder = [...files.filter((file) => !isPage(file)), ...files.filter(isPage)];
  for (const file of inOrder) {
    await mkdir(path.dirname(path.join(target, file)), { recursive: true });
    await writeWhole(path.join(target, file), await readFile(path.join(made, file)));
  }
  const gone = (await filesOf(target)).filter((file) => !files.includes(file));
  await Promise.all(gone.map((file) => rm(path.join(target, file))));
}

async function filesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

await page.runAsProgram(import.meta.url, buildConsole);
