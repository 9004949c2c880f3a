import { isParentStep } from '../flow/step-kind.js';
import { isActive, waitsToBeForgiven } from '../task/action-run.js';
import { endPlace, firstPlace, type Placed, stepAt, wayAt } from './step-at.js';
import { heldBy, type Indexed } from './scope-index.js';
import type { Task } from '../task/task.js';

/** Whether a command or child tasks work on a step. */
export function isAtWork(task: Placed, place: number): boolean {
  const normal = task.runs[place]?.normal;
  if (normal === undefined || !isActive(normal)) return false;
  // The failure of a command is caught by steps, and each of these is looked at on its own.
  if (heldBy(task, place).caught.length > 0) return false;
  const step = stepAt(task, place);
  return step?.normal !== undefined || isParentStep(step);
}

/** Whether anybody works on a step or on what it holds, or something of that is to be undone. */
export function isAtWorkIn(task: Placed & Pick<Task, 'turned' | 'way'>, place: number): boolean {
  if (isAtWork(task, place)) return true;
  return heldBy(task, place).open.some((scope) => {
    for (let inner = firstPlace(task, scope); inner < endPlace(task, scope); inner += 1) {
      if (isToUndo(task, inner) || isAtWorkIn(task, inner)) return true;
    }
    return false;
  });
}

function isToUndo(task: Placed & Pick<Task, 'turned' | 'way'>, place: number): boolean {
  if (isBeingUndone(task, place)) return true;
  const isPending = task.runs[place]?.rollback?.state === 'pending';
  return isPending && (wayAt(task, place) === 'back' || isToForgive(task, place));
}

/** Whether a step has failed that is caught or passed over as soon as it is undone. */
export function isToForgive(task: Placed & Pick<Task, 'turned' | 'way'>, place: number): boolean {
  const both = task.runs[place];
  return both !== undefined && waitsToBeForgiven(both) && wayAt(task, place) === 'forward';
}

/** Whether a step is being undone, or its undo failed; not while it waits for other branches. */
export function isBeingUndone(task: Placed, place: number): boolean {
  const { rollback } = task.runs[place] ?? {};
  if (!rollback || waitsForBranch(task, place)) return false;
  return isActive(rollback) || rollback.state === 'failed';
}

/** Whether a branch of the step has failed and is undone, and others are to end before the rest. */
export function waitsForBranch(task: Indexed, place: number): boolean {
  const { lists, open } = heldBy(task, place);
  const isBranch = lists.some(({ kind, last }) => kind === 'branch' && last !== 0);
  return isBranch && !open.some((scope) => task.scopes[scope]?.way === 'back');
}
