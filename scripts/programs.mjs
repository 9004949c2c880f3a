/**
 * Bundles programs, each with everything that it loads, into `dist/programs`: a process that loads
 * twenty files starts in a quarter of the time of one that loads three thousand.
 * The file of a program has the path of its module in `dist`; so has what its threads run.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { DIST, makeAside } from './made-aside.mjs';

const APPS = ['cli', 'http', 'lab', 'monitor', 'mysql', 'oss', 'resource', 'standalone'];
/** Modules of `dist` that run as processes of their own, or as threads of those. */
const PROGRAMS = [
  ...APPS.map((name) => `apps/${name}/src/main`),
  ...['access', 'crash', 'secrets'].map((name) => `test/${name}/program`),
  'test/drill/forgetful-shelf',
  'libs/expressions/src/bounded/watchdog',
  'libs/expressions/src/evaluation/worker',
  'libs/flow-files/src/checking/worker',
  'libs/store-sqlite/src/worker/main',
  'workshop/drill/stage-child',
];
/** Names the program of a thread or process, beside which it must stand for its bundle. */
const NAMES_WORKER = /\/(worker-url|worker|own-time|drill\/stage)\.js$/;

/** Loaded as they are installed: native, or the one copy that all who use it must share. */
const EXTERNAL = ['libsql', 'reflect-metadata', /^class-transformer(\/|$)/];
/** The path of a file, whatever letters the path of the repository has. */
const FILE_OF = "process.getBuiltinModule('node:url').fileURLToPath";
/** Everything of Nest wants this before it; threads have nothing of Nest. */
const FIRST = "import 'reflect-metadata';";

await makeAside('programs', async (dir) => {
  const bundle = await rolldown({
    input: Object.fromEntries(PROGRAMS.map((name) => [name, moduleOf(name)]).filter(isThere)),
    cwd: path.dirname(DIST),
    platform: 'node',
    external: [/^node:/, ...EXTERNAL],
    // Its other form loads its parts in a way that no bundler sees.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    plugins: [placeOfModule()],
    // Optional packages of others, which need not be there.
    logLevel: 'silent',
  });
  await bundle.write({
    dir,
    format: 'esm',
    keepNames: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    banner: ({ isEntry, name }) => (isEntry && !name.startsWith('libs/') ? FIRST : ''),
  });
  await bundle.close();
});

function moduleOf(name) {
  return path.join(DIST, `${name}.js`);
}

/** A container image is built without the tests. */
function isThere([, file]) {
  return existsSync(file);
}

/**
 * A module finds files by its place: that of the module in `dist`, or beside its bundle where it
 * names the program of a thread.
 */
function placeOfModule() {
  const marked = (id) => `__placeOf(${JSON.stringify(id)})`;
  return {
    name: 'place-of-module',
    transform(code, id) {
      if (!id.startsWith(DIST) || !code.includes('import.meta.')) return null;
      const at = path.relative(DIST, id);
      return code
        .replaceAll('import.meta.url', `${marked(at)}.href`)
        .replaceAll('import.meta.dirname', `${FILE_OF}(${marked(path.dirname(at))})`);
    },
    renderChunk(code, { fileName }) {
      if (!code.includes('__placeOf(')) return null;
      const up = path.posix.relative(path.posix.dirname(fileName), '.') || '.';
      return code.replace(/__placeOf\("([^"]+)"\)/g, (_, at) => {
        const from = NAMES_WORKER.test(`/${at}`) ? up : `${up}/..`;
        return `new URL("${from}/${at}", import.meta.url)`;
      });
    },
  };
}
