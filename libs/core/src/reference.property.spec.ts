import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { answerPlainly } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { QuietCore } from './quiet-core-spec.js';
import type { Program } from './program-spec.js';
import { programs, programsIn } from './random-program-spec.js';
import { ReferenceRun } from './reference-run-spec.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

function expectAlike(program: Program): void {
  const reference = new ReferenceRun(program);
  const core = new QuietCore(program, ({ members, scene }) => answerPlainly(members, scene));
  const outcome = reference.run();
  // The longest that are compared; few come to as much.
  if (reference.log.length > 1_000) return;
  expect(core.run()).toBe(outcome);
  expect(core.log).toEqual(reference.log);
}

describe('what becomes of any program of the language', () => {
  it('is what plain recursion over the steps comes to, with times', () => {
    fc.assert(fc.property(programsIn({ isTimed: true }), expectAlike), fuzzBudget(3_000));
  });

  it('is what plain recursion over the steps comes to, with branches', () => {
    fc.assert(fc.property(programsIn({ isTimed: false }), expectAlike), fuzzBudget(3_000));
  });
});

describe('what becomes of groups in groups', () => {
  it('is what plain recursion over the steps comes to, with times', () => {
    fc.assert(fc.property(programs(true), expectAlike), fuzzBudget(1_500));
  });

  it('is what plain recursion over the steps comes to, where steps stand side by side', () => {
    fc.assert(fc.property(programs(false), expectAlike), fuzzBudget(1_500));
  });
});
