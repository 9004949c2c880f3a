import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { type Action, NO_RETRY, type RetryPolicy, type StepPlan } from './flow.js';
import { QuietCore } from './quiet-core-spec.js';
import { type Program, ReferenceRun } from './reference-run-spec.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const DEPTH_MAX = 4;

const retry: fc.Arbitrary<RetryPolicy> = fc.record({
  attempts: fc.integer({ min: 1, max: 3 }),
  backoff: fc.constantFrom('none', 'fixed', 'exponential'),
  delayMs: fc.constantFrom(500, 1_000),
  maxDelayMs: fc.constantFrom(null, 1_500),
  jitter: fc.boolean(),
});

function actionOf(policy: RetryPolicy): Action {
  const rest = { attemptTimeoutMs: null, onCrash: { restarts: 3 }, parameters: null };
  return { module: 'm', command: 'go', timeoutMs: 9e12, retry: policy, ...rest };
}

/** In a chain each step needs the one before it; else some of those before it. */
function stepAt(index: number, isChain: boolean): fc.Arbitrary<StepPlan> {
  const before = Array.from({ length: index }, (_, at) => at);
  const needs = isChain ? fc.constant(before.slice(-1)) : fc.subarray(before);
  return fc.record({ needs, policy: retry, undo: fc.boolean() }).map((drawn) => {
    const rollback = drawn.undo ? actionOf(NO_RETRY) : null;
    return { name: `s${index}`, needs: drawn.needs, normal: actionOf(drawn.policy), rollback };
  });
}

/** Side by side, groups begin before it is their turn here, so that only chains have times. */
function groupAt(index: number, depth: number, isChain: boolean): fc.Arbitrary<StepPlan> {
  const time = fc.integer({ min: 1, max: 6_000 });
  const timeoutMs = isChain ? fc.option(time, { freq: 2 }) : fc.constant(null);
  return fc
    .record({ own: stepAt(index, isChain), group: listOf(depth - 1, isChain), retry, timeoutMs })
    .map(({ group, own: { name, needs }, ...rest }) => ({ name, needs, group, ...rest }));
}

function listOf(depth: number, isChain: boolean): fc.Arbitrary<readonly StepPlan[]> {
  const max = depth === DEPTH_MAX ? 4 : 3;
  return fc.integer({ min: 1, max }).chain((count) => {
    return fc.tuple(
      ...Array.from({ length: count }, (_, index) => {
        const step = stepAt(index, isChain);
        return depth === 0 ? step : fc.oneof(step, groupAt(index, depth, isChain));
      }),
    );
  });
}

function programs(isChain: boolean): fc.Arbitrary<Program> {
  return fc.record({
    steps: listOf(DEPTH_MAX, isChain),
    seed: fc.nat(),
    luck: fc.constantFrom(70, 85, 95),
    stopAt: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 3 }),
  });
}

function expectAlike(program: Program): void {
  const reference = new ReferenceRun(program);
  const core = new QuietCore(program);
  const outcome = reference.run();
  // The longest that are compared; few come to as much.
  if (reference.log.length > 1_000) return;
  expect(core.run()).toBe(outcome);
  expect(core.log).toEqual(reference.log);
}

describe('what becomes of groups in groups', () => {
  it('is what plain recursion over the steps comes to, with times', () => {
    fc.assert(fc.property(programs(true), expectAlike), fuzzBudget(1_500));
  });

  it('is what plain recursion over the steps comes to, where steps stand side by side', () => {
    fc.assert(fc.property(programs(false), expectAlike), fuzzBudget(1_500));
  });
});
