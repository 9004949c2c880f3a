import { hasFailed } from '../task/action-run.js';
import { failureName } from '../task/failure.js';
import { type Placed, scopeAt, scopeBelow, stepAt, wayAt } from './step-at.js';
import { heldBy } from './scope-index.js';
import type { Cause } from '../task/scope.js';
import type { Task } from '../task/task.js';

/**
 * The failure with which a task began to fail, also where a person or a time that was over turned
 * it back, or ended it, while it was on hold for that; null: no step of it failed.
 */
export function firstFailure(task: Task): Cause | null {
  if (task.turned?.cause) return task.turned.cause;
  const failed = failedPlaces(task).filter((place) => isOfItself(task, place));
  const [first] = failed.toSorted((a, b) => endOf(task, a) - endOf(task, b));
  return first === undefined ? null : causeAt(task, first);
}

/** Whether a task waits for a person because a time was over, and not because a step failed. */
export function isHeldByTime(task: Task): boolean {
  return task.hold?.why === 'step_failed' && failedSteps(task).length === 0;
}

/** A task that goes back undoes what waited for a person, so all that failed counts then. */
function failedPlaces(task: Task): readonly number[] {
  if (task.way === 'forward') return failedSteps(task);
  return task.runs.flatMap(({ normal }, place) => {
    return hasFailed(normal) && isUnforgiven(task, place) ? [place] : [];
  });
}

/** Not of a run that was ended because something else failed, or by a person. */
function isOfItself({ runs }: Task, place: number): boolean {
  return runs[place]?.normal.state !== 'terminated';
}

/** The step that holds a scope settled the failures in it, if the scope went back by itself. */
function isUnforgiven(task: Task, place: number): boolean {
  let around = scopeBelow(task, scopeAt(task, place));
  while (around !== null) {
    if (around.turned?.cause) return false;
    around = scopeBelow(task, scopeAt(task, around.holder));
  }
  return true;
}

function endOf({ runs }: Task, place: number): number {
  return runs[place]?.normal.endedAt ?? 0;
}

/** A step that holds steps failed with what failed in the last of its scopes. */
function causeAt(task: Task, place: number): Cause {
  const inner = heldBy(task, place)
    .numbers.map((scope) => scopeBelow(task, scope)?.turned?.cause)
    .findLast((cause) => cause !== undefined && cause !== null);
  if (inner) return inner;
  const { code = 0, error = null, message = '' } = task.runs[place]?.normal ?? {};
  const step = stepAt(task, place)?.name ?? '';
  return { code: error ?? failureName(code), step, message: message ?? '' };
}

/** The parts of a task that say which of its steps have failed. */
type Failing = Placed & Pick<Task, 'turned' | 'way'>;

/** Places of the steps that failed and are not to be undone, but wait for a person. */
export function failedSteps(task: Failing): readonly number[] {
  const places: number[] = [];
  for (let place = 0; place < task.runs.length; place += 1) {
    const { normal, rollback } = task.runs[place] ?? {};
    if (normal === undefined || !hasFailed(normal)) continue;
    // One that was caught is undone by itself, while its scope goes forward.
    const isForgiven = rollback !== null && !['none', 'succeeded'].includes(rollback?.state ?? '');
    if (!isForgiven && wayAt(task, place) === 'forward') places.push(place);
  }
  return places;
}
