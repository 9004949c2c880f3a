import type { Change } from '../change/change.js';
import { openChildren } from '../children/children.js';
import type { ActionRef } from '../task/action-ref.js';
import { lookAgainAt } from '../task/retry-delay.js';
import type { Scope } from '../task/scope.js';

/** Has the engine look after child tasks, now and, should that be lost, after a while. */
export function tendChildren(change: Change, { holder, way }: Scope): void {
  const isEnd = change.outcome !== null;
  const direction = way === 'forward' || isEnd ? 'normal' : 'rollback';
  putLook(change, { direction, step: holder }, 1);
  change.asked.push({ direction, step: holder });
}

/** Notes when child tasks are looked at again; with `looks`, after how many without any news. */
export function putLook(change: Change, ref: ActionRef, looks: number): void {
  const run = change.run(ref);
  if (run === null) return;
  change.putRun(ref, { ...run, dispatches: looks, dueAt: lookAgainAt(change, looks) });
}

/** Child tasks were not heard of for a while: the engine looks. False: the step has none. */
export function lookAgain(change: Change, ref: ActionRef): boolean {
  const below = openChildren(change).find(({ holder }) => holder === ref.step);
  const run = change.run(ref);
  if (below === undefined || run === null || run.lease !== null) return false;
  if (change.outcome === null && run.state !== 'running') return false;
  putLook(change, ref, run.dispatches + 1);
  change.asked.push({ direction: ref.direction, step: ref.step });
  return true;
}
