import { isActive, wasStarted } from './action-run.js';
import type { Change } from './change.js';
import { graphOf } from './graph.js';
import { TASK_STATUS } from './status.js';
import type { StepRuns } from './task.js';

/**
 * Queues whatever is ready now, in the direction the task goes, or ends the task when nothing is
 * left. Called after every event that ended an action.
 */
export function advance(change: Change): void {
  if (change.status <= TASK_STATUS.running) advanceForward(change);
  else if (change.status === TASK_STATUS.rolling_back) advanceBack(change);
}

function advanceForward(change: Change): void {
  const { steps } = change.base.plan;
  // As they are before anything is queued, which makes nothing done.
  const { runs } = change;
  let left = 0;
  for (let index = 0; index < steps.length; index++) {
    const run = runs[index]?.normal;
    if (run === undefined || isDone(runs[index])) continue;
    left++;
    if (run.state !== 'pending') continue;
    if (!steps[index]?.needs.every((need) => isDone(runs[need]))) continue;
    change.queue({ direction: 'normal', step: index }, run);
    change.cursor = Math.max(change.cursor, index);
  }
  if (left > 0) return;
  change.setStatus(TASK_STATUS.succeeded);
  change.note('task_succeeded');
}

function isDone(runs: StepRuns | undefined): boolean {
  return runs?.normal.state === 'succeeded' || runs?.normal.state === 'skipped';
}

function advanceBack(change: Change): void {
  const settled = settledSteps(change);
  const { dependents } = graphOf(change.base.plan.steps);
  let left = false;
  change.runs.forEach(({ normal, rollback }, index) => {
    if (!settled[index]) left = true;
    if (rollback?.state !== 'pending' || isActive(normal)) return;
    if (!(dependents[index] ?? []).every((dependent) => settled[dependent])) return;
    change.queue({ direction: 'rollback', step: index }, rollback);
  });
  if (left) return;
  change.setStatus(TASK_STATUS.rolled_back);
  change.note('task_rolled_back', { message: change.message ?? undefined });
}

/**
 * For each step: nothing of it, nor of anything that needs it, is still to be undone. A step
 * without a rollback is passed over but does not let what it needs be undone before what needs it.
 */
function settledSteps(change: Change): readonly boolean[] {
  const { order, dependents } = graphOf(change.base.plan.steps);
  const settled: boolean[] = change.runs.map(() => false);
  for (let position = order.length - 1; position >= 0; position--) {
    const index = order[position] ?? 0;
    const runs = change.runs[index];
    if (runs === undefined || !isUndone(runs)) continue;
    settled[index] = (dependents[index] ?? []).every((dependent) => settled[dependent]);
  }
  return settled;
}

function isUndone({ normal, rollback }: StepRuns): boolean {
  if (isActive(normal)) return false;
  if (rollback === null || !wasStarted(normal)) return true;
  return rollback.state === 'succeeded' || rollback.state === 'skipped';
}
