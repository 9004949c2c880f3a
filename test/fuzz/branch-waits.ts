import type { Task } from '#core';
import { scopeAt, stepAt, TASK } from '#core/scopes';

/**
 * Whether a scope lies in a branch that failed, of a step that waits for its other branches, and
 * one of these is on its way. A step that holds locks does not wait, nor does anything before an
 * early end.
 */
export function waitsInBranch(task: Task, scope: number): boolean {
  if (scope === TASK) return false;
  const { holder, kind, way } = task.scopes[scope]!;
  const isFailed = kind === 'branch' && way === 'back';
  if (isFailed && stepAt(task, holder)?.onBranchFailure === 'wait' && isUnderWay(task, holder)) {
    return !endsEarly(task);
  }
  if (task.locks.some(({ heldAt, step }) => step === holder && heldAt !== null)) return false;
  return waitsInBranch(task, scopeAt(task, holder));
}

/** Whether some branch of a step goes forward and has not ended. */
function isUnderWay({ scopes }: Task, place: number): boolean {
  return scopes.some(({ holder, round, stage, way }) => {
    return holder === place && round > 0 && stage === 'open' && way === 'forward';
  });
}

function endsEarly(task: Task): boolean {
  return task.runs.some(({ normal, rollback }, place) => {
    const isEnd = stepAt(task, place)?.succeed !== undefined;
    return isEnd && normal.state === 'succeeded' && rollback?.state === 'none';
  });
}
