/**
 * A process that runs specs, one after the other, as its parent says (`spec-runner.mjs`): natively,
 * with the modules they import loaded once for all of them. What runs the tests is jest's own.
 */
import { createRequire, register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import './stuck-watch.mjs';

const require = createRequire(import.meta.url);
/** Jest's adapter of `jest-circus` has a state for one file, so each file has it anew. */
const ADAPTER = path.join(path.dirname(require.resolve('jest-circus')), 'jestAdapterInit.js');

process.setSourceMapsEnabled(true);
register('./spec-hooks.mjs', import.meta.url);
await import('reflect-metadata');
const { useGlobals } = await import('./spec-globals.mjs');

process.on('message', (order) => {
  run(order).then(
    (result) => process.send({ result }),
    ({ message, stack }) => process.send({ error: { message, stack } }),
  );
});
process.on('disconnect', () => process.exit());
process.send({ ready: true });

async function run({ config, globalConfig, file }) {
  const started = Date.now();
  delete require.cache[ADAPTER];
  const { initialize, runAndTransformResultsToJestFormat } = require(ADAPTER);
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
  const end = Date.now();
  const tests = result.testResults;
  return {
    ...result,
    perfStats: { ...result.perfStats, start: started, end, runtime: end - started },
    skipped: tests.length > 0 && tests.length === result.numPendingTests,
    // Values of any kind, which need not fit through to the parent; their texts are there.
    testResults: tests.map((test) => ({ ...test, failureDetails: [] })),
  };
}
