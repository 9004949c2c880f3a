import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { answerPlainly } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../../test/fuzz/budget.js';
import { KIND_NAMES } from '#kinds';
import { QuietCore } from './quiet-core-spec.js';
import type { Program } from './program-spec.js';
import { programs, programsIn } from './random-program-spec.js';
import { ReferenceRun, TooLong } from './reference-run-spec.js';
import type { Outcome } from './reference-terms-spec.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

function expectAlike(program: Program): void {
  const reference = new ReferenceRun(program);
  const outcome = outcomeOf(reference);
  if (outcome === null) return;
  const core = new QuietCore(program, ({ members, scene }) => answerPlainly(members, scene));
  expect(core.run()).toBe(outcome);
  expect(core.log).toEqual(reference.log);
}

/** Null: too much happened. */
function outcomeOf(reference: ReferenceRun): Outcome | null {
  try {
    return reference.run();
  } catch (error) {
    if (error instanceof TooLong) return null;
    throw error;
  }
}

const families = programsIn({ isTimed: false, hasChildren: true }).map((program): Program => {
  return { ...program, luck: [75, 90, 97][program.seed % 3] ?? 90 };
});

describe('what becomes of any program of the language', () => {
  it('is what plain recursion over the steps comes to, with times', () => {
    fc.assert(fc.property(programsIn({ isTimed: true }), expectAlike), fuzzBudget(2_300));
  });

  it('is what plain recursion over the steps comes to, with branches', () => {
    fc.assert(fc.property(programsIn({ isTimed: false }), expectAlike), fuzzBudget(2_300));
  });
});

describe('what becomes of a program with child tasks', () => {
  it('is what plain recursion over the steps comes to', () => {
    fc.assert(fc.property(families, expectAlike), fuzzBudget(500));
  });
});

describe('what becomes of groups in groups', () => {
  it('is what plain recursion over the steps comes to, with times', () => {
    fc.assert(fc.property(programs(true), expectAlike), fuzzBudget(1_000));
  });

  it('is what plain recursion over the steps comes to, where steps stand side by side', () => {
    fc.assert(fc.property(programs(false), expectAlike), fuzzBudget(1_000));
  });
});

describe('the kinds of steps', () => {
  it('all run in programs that are drawn', () => {
    const met = new Set<string>();
    for (const program of fc.sample(families, { numRuns: 60, seed: 1 })) {
      const reference = new ReferenceRun(program);
      outcomeOf(reference);
      for (const kind of reference.kinds) met.add(kind);
    }
    expect([...met].sort()).toEqual([...KIND_NAMES].sort());
  });
});
