/**
 * Runs one spec for jest, as its configuration says (`testRunner`): natively, instead of in a VM
 * context, with the modules that specs import loaded once for all specs of a process. Processes,
 * their memory and the reporters are jest's; the tests are run by `jest-circus`.
 *
 * Measured in one run, with 41 specs of `unit` on two processors: this takes 27 to 30 s of
 * processor time. Jest's own way takes 44 s with a warm cache and 49 s with a cold one, as it loads
 * and links for each spec all that the spec imports.
 */
import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';
import { jestExpect } from '@jest/expect';
import { createEmptyTestResult } from '@jest/test-result';
import { addEventHandler, getState, resetState, run } from 'jest-circus';
import { formatExecError, formatResultsErrors } from 'jest-message-util';
import 'reflect-metadata';
import * as globals from './spec-globals.mjs';
import { load, resolve } from './spec-hooks.mjs';

// Newer versions of Node have the first, and warn of the other.
if (nodeModule.registerHooks) nodeModule.registerHooks({ load, resolve });
else nodeModule.register('./spec-hooks.mjs', import.meta.url);
process.setSourceMapsEnabled(true);
// As jest does, for what is written for other test runners, too.
Object.assign(globalThis, globals);

/** Frames of a stack: what Node has by itself. Each error of the code under test pays for more. */
const FRAMES = 10;
const STATUS = { skip: 'pending', todo: 'todo' };

addEventHandler(({ name, test }) => {
  if (name === 'test_start') jestExpect.setState({ currentTestName: test.name });
  if (name !== 'test_done') return;
  test.errors.push(...jestExpect.extractExpectedAssertionsErrors().map(({ error }) => error));
});

/** The interface of jest for a test runner; the environment and the runtime stay unused. */
export default async function runSpec(globalConfig, config, ...[, , file]) {
  // Jest maps places with the maps of what it has compiled; here Node has the maps.
  Error.prepareStackTrace = undefined;
  Error.stackTraceLimit = FRAMES;
  resetState();
  const state = getState();
  state.testTimeout = globalConfig.testTimeout ?? config.testTimeout ?? state.testTimeout;
  if (globalConfig.testNamePattern) {
    state.testNamePattern = new RegExp(globalConfig.testNamePattern, 'i');
  }
  jestExpect.setState({ expand: globalConfig.expand, testPath: file });
  const { testResults, unhandledErrors } = await withUncaught(async () => {
    await import(pathToFileURL(file).href);
    return run();
  });
  return resultOf(testResults.map(assertionOf), unhandledErrors, { config, globalConfig, file });
}

/**
 * An error that nothing has caught is one of the spec: jest's own listener ends the process. A
 * rejection is one if nothing has handled it by the end of the spec: tests start what is to be
 * rejected before they await it.
 */
async function withUncaught(work) {
  const listeners = process.rawListeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  const rejections = new Map();
  const own = {
    uncaughtException: (error) => getState().unhandledErrors.push(error),
    unhandledRejection: (error, promise) => rejections.set(promise, error),
    rejectionHandled: (promise) => rejections.delete(promise),
  };
  for (const [event, listener] of Object.entries(own)) process.on(event, listener);
  try {
    const { testResults, unhandledErrors } = await work();
    // Node tells of what was handled in the next turn.
    await new Promise(setImmediate);
    return { testResults, unhandledErrors: [...unhandledErrors, ...rejections.values()] };
  } finally {
    for (const [event, listener] of Object.entries(own)) process.off(event, listener);
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
}

function assertionOf({ testPath, errors, status, ...more }) {
  const [, ...titles] = testPath;
  return {
    ...more,
    // Values of any kind, which need not fit through to the parent; their texts are there.
    errorsDetailed: [],
    retryReasonsDetailed: [],
    failureDetails: [],
    ancestorTitles: titles.slice(0, -1),
    failureMessages: errors,
    fullName: titles.join(' '),
    status: STATUS[status] ?? (errors.length > 0 ? 'failed' : 'passed'),
    title: titles.at(-1),
  };
}

function resultOf(assertions, unhandled, { config, globalConfig, file }) {
  const count = (status) => assertions.filter((one) => one.status === status).length;
  const texts = [
    formatResultsErrors(assertions, config, globalConfig, file),
    ...unhandled.map((error) => formatExecError(error, config, globalConfig, file)),
  ].filter(Boolean);
  return {
    ...createEmptyTestResult(),
    failureMessage: texts.length === 0 ? null : texts.join('\n\n'),
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    ...(unhandled.length > 0 && { testExecError: { message: '', stack: unhandled.join('\n') } }),
    testFilePath: file,
    testResults: assertions,
  };
}
