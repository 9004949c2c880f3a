/**
 * The `@jest/globals` of specs. They are live: files that several specs share see those of the spec
 * that runs.
 */
import { ModuleMocker } from 'jest-mock';

const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
const mocker = new ModuleMocker(globalThis);

/** Specs that use more of `jest` than this are left to jest (`spec-runner.mjs`). */
export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  setTimeout: (ms) => {
    globalThis[TIMEOUT] = ms;
    return jest;
  },
};

export let afterAll;
export let afterEach;
export let beforeAll;
export let beforeEach;
export let describe;
export let expect;
export let it;
export let test;

/** Makes these the globals of the next spec. */
export function useGlobals(globals) {
  delete globalThis[TIMEOUT];
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } = globals);
}
