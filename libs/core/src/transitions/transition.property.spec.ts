import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../../test/fuzz/budget.js';
import type { StepPlan } from '../flow/flow.js';
import { Player } from '../reference/history-player-spec.js';
import {
  histories,
  type History,
  longHistories,
  nestedHistories,
} from '../reference/random-history-spec.js';
import { TASK_STATUS } from '../task/status.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

describe('any history of any flow', () => {
  it('comes to an end that tells the truth, by legal moves only', () => {
    fc.assert(fc.property(histories, expectTruth), fuzzBudget(3_000));
  });

  it('does so where steps hold steps, and each scope goes forward or back by itself', () => {
    fc.assert(fc.property(nestedHistories, expectTruth), fuzzBudget(3_000));
  });

  it('does so in long flows, whose documents carry along what their runs come to', () => {
    fc.assert(fc.property(longHistories, expectTruth), fuzzBudget(100));
  });
});

function expectTruth(history: History): void {
  const player = new Player(history);
  const task = player.play();
  const { debts } = player;
  if (task.status === TASK_STATUS.succeeded) {
    const done = task.plan.steps.filter((_, n) => task.runs[n]?.normal.state !== 'skipped');
    expect(debts.standing(task)).toBe(countCommands(done));
  }
  if (task.status === TASK_STATUS.rolled_back) expect([...debts.owed]).toEqual([]);
}

function countCommands(steps: readonly StepPlan[]): number {
  return steps.reduce((sum, { group }) => sum + (group ? countCommands(group) : 1), 0);
}
