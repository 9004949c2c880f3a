import { describe, expect, it } from '@jest/globals';
import { answerPlainly } from '#testing';
import { type Action, NO_RETRY } from '../flow/action.js';
import type { StepPlan } from '../flow/flow.js';
import type { Program } from './program-spec.js';
import { QuietCore } from './quiet-core-spec.js';

const YEAR_MS = 365 * 24 * 3_600_000;

const ACTION: Action = {
  module: 'm',
  command: 'go',
  timeoutMs: 9e12,
  attemptTimeoutMs: null,
  retry: NO_RETRY,
  onCrash: 'fail',
  parameters: null,
};

function command(name: string, needs: readonly number[] = []): StepPlan {
  return { name, needs, normal: ACTION, rollback: ACTION };
}

/** A task in which every attempt is done. */
function play(steps: readonly StepPlan[]): QuietCore {
  const program: Program = { steps, seed: 1, luck: 100, backLuck: 100, stopAt: null };
  const core = new QuietCore(program, ({ members, scene }) => answerPlainly(members, scene));
  core.run();
  return core;
}

const FAIL = (needs: readonly number[]): StepPlan => {
  return { name: 'end', needs, fail: { code: 'NO', message: 'no' } };
};

/** Returns the ids of the runs that were done, and of those that were undone, in their order. */
function courseOf({ log }: QuietCore): { done: readonly string[]; undone: readonly string[] } {
  const names = log.map((line) => line.slice(0, line.lastIndexOf(' ')));
  const done = names.filter((name) => !name.startsWith('-'));
  return { done, undone: names.filter((name) => name.startsWith('-')).map((n) => n.slice(1)) };
}

describe('a program as large as may be', () => {
  it('undoes 1,000 rounds of a loop, last first', () => {
    const until = '{% $index > 998 %}';
    const loop = { steps: [command('x')], while: null, until, max: 1_000, delay: null };
    const core = play([{ name: 's', needs: [], loop }, FAIL([0])]);
    const { done, undone } = courseOf(core);
    expect(core.task.outcome).toBe('rolled_back');
    expect(done).toEqual(Array.from({ length: 1_000 }, (_, n) => `s#${n + 1}/x`));
    expect(undone).toEqual(done.toReversed());
  });

  it.each([
    [
      'groups',
      (inner: readonly StepPlan[]) => ({ group: inner, retry: NO_RETRY, timeoutMs: null }),
    ],
    [
      'branches',
      (inner: readonly StepPlan[]) => {
        return { parallel: [{ name: 'a', steps: inner }], onBranchFailure: 'wait' as const };
      },
    ],
  ])('undoes %s that lie in each other 16 deep', (_, around) => {
    let steps: readonly StepPlan[] = [command('x'), command('y', [0])];
    for (let depth = 0; depth < 16; depth += 1) {
      steps = [command('b'), { name: 'in', needs: [0], ...around(steps) }, command('a', [1])];
    }
    const core = play([...steps, FAIL([2])]);
    const { done, undone } = courseOf(core);
    expect(core.task.outcome).toBe('rolled_back');
    expect(done).toHaveLength(2 * 16 + 2);
    expect(undone).toEqual(done.toReversed());
  });

  it('waits 100 times for a year', () => {
    const steps = Array.from({ length: 100 }, (_, n): StepPlan => {
      const needs = n === 0 ? [] : [n - 1];
      return { name: `w${n}`, needs, wait: { for: YEAR_MS }, rollback: null };
    });
    const { task } = play(steps);
    expect(task.outcome).toBe('succeeded');
    expect((task.endedAt ?? 0) - (task.startedAt ?? 0)).toBe(100 * YEAR_MS);
    // Each wait is looked at when it begins, and when it is over.
    expect(task.revision).toBeLessThan(210);
  });
});
