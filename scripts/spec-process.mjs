/**
 * A process that runs specs, one after the other, as its parent says (`spec-runner.mjs`): natively,
 * with the modules they import loaded once for all of them. The test runner itself is jest's own.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import './stuck-watch.mjs';

const require = createRequire(import.meta.url);
const hooks = require('node:async_hooks');
/** Jest's adapter of `jest-circus` has a state for one file, so each file has it anew. */
const ADAPTER = path.join(path.dirname(require.resolve('jest-circus')), 'jestAdapterInit.js');

process.setSourceMapsEnabled(true);
register('./spec-hooks.mjs', import.meta.url);
await import('reflect-metadata');
const { useGlobals } = await import('./spec-globals.mjs');

process.on('message', (order) => {
  run(order).then(
    (result) => process.send({ result, isFull: process.memoryUsage.rss() > FULL_BYTES }),
    ({ message, stack }) => process.send({ error: { message, stack } }),
  );
});
process.on('disconnect', () => process.exit());
process.send({ ready: true });

/** Where the processor time of each spec is noted, a line each; undefined: nowhere. */
const { SPEC_TIMES: TIMES } = process.env;
// No business of the programs that specs start.
delete process.env['SPEC_TIMES'];
/** A larger process spends its time on keeping house, and a new one does better. */
const FULL_BYTES = 600 * 1_048_576;
/** Clock ticks of Linux, in which it counts the time of processes. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time of this process, and of those that it has seen end. */
function processorSeconds() {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1_000_000 + secondsOfChildren();
}

function secondsOfChildren() {
  if (process.platform !== 'linux') return 0;
  // The name of the program, in parentheses, may have anything in it.
  const [, rest = ''] = readFileSync('/proc/self/stat', 'utf8').split(/\) (?!.*\) )/s);
  const [user = 0, system = 0] = rest.split(' ').slice(13, 15);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

/**
 * The adapter with the state of no file, and the storages that it has for its asynchronous context.
 * Each of them that stays enabled costs time with every promise of all specs that follow.
 */
function freshAdapter() {
  const storages = [];
  const { AsyncLocalStorage } = hooks;
  hooks.AsyncLocalStorage = class extends AsyncLocalStorage {
    constructor(...options) {
      super(...options);
      storages.push(this);
    }
  };
  try {
    delete require.cache[ADAPTER];
    return { adapter: require(ADAPTER), storages };
  } finally {
    hooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}

async function run({ config, globalConfig, file }) {
  const started = Date.now();
  const before = TIMES === undefined ? 0 : processorSeconds();
  const { adapter, storages } = freshAdapter();
  const { initialize, runAndTransformResultsToJestFormat } = adapter;
  await initialize({
    config,
    globalConfig,
    environment: { global: globalThis },
    runtime: { enterTestCode: () => {}, leaveTestCode: () => {} },
    localRequire: require,
    parentProcess: process,
    setGlobalsForRuntime: useGlobals,
    testPath: file,
  });
  await import(pathToFileURL(file).href);
  const result = await runAndTransformResultsToJestFormat({ config, globalConfig, testPath: file });
  for (const storage of storages) storage.disable();
  const end = Date.now();
  if (TIMES !== undefined) {
    appendFileSync(TIMES, `${JSON.stringify({ file, seconds: processorSeconds() - before })}\n`);
  }
  const tests = result.testResults;
  return {
    ...result,
    perfStats: { ...result.perfStats, start: started, end, runtime: end - started },
    skipped: tests.length > 0 && tests.length === result.numPendingTests,
    // Values of any kind, which need not fit through to the parent; their texts are there.
    testResults: tests.map((test) => ({ ...test, failureDetails: [] })),
  };
}
