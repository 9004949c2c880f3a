import type { StepPlan } from './flow.js';
import {
  innerLists,
  outermostPlace,
  type Placed,
  scopeAt,
  scopeBelow,
  stepAt,
  TASK,
} from './places.js';

// Steps are immutable and shared by all tasks of a flow version.
const known = new WeakMap<readonly StepPlan[], boolean>();

function hasPivot(steps: readonly StepPlan[]): boolean {
  let has = known.get(steps);
  if (has === undefined) {
    has = steps.some((step) => step.pivot === true || innerLists(step).some(hasPivot));
    known.set(steps, has);
  }
  return has;
}

/** Whether a step of the scope, or of one in it, is a point of no return and has succeeded. */
export function hasPassedPivot(task: Placed, scope: number): boolean {
  return passedPivots(task).some((place) => isWithin(task, place, scope));
}

/**
 * The task's own steps at or in which a point of no return was passed and not undone, by their
 * places.
 */
export function pivotsOfTask(task: Placed): readonly number[] {
  return passedPivots(task).map((place) => outermostPlace(task, place));
}

function passedPivots(task: Placed): readonly number[] {
  if (!hasPivot(task.plan.steps)) return [];
  const places = Array.from(task.runs.keys());
  return places.filter((place) => {
    const { normal, rollback } = task.runs[place] ?? {};
    const isDone = normal?.state === 'succeeded' && rollback?.state !== 'succeeded';
    return isDone && stepAt(task, place)?.pivot === true;
  });
}

function isWithin(task: Placed, place: number, scope: number): boolean {
  if (scope === TASK) return true;
  for (let at = scopeAt(task, place); at !== TASK;) {
    if (at === scope) return true;
    const below = scopeBelow(task, at);
    if (below === null) return false;
    at = scopeAt(task, below.holder);
  }
  return false;
}
