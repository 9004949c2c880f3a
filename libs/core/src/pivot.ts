import type { StepPlan } from './flow.js';
import { innerLists, outermostPlace, type Placed, scopeAt, scopeBelow, stepAt } from './places.js';

// Steps are immutable and shared by all tasks of a flow version.
const known = new WeakMap<readonly StepPlan[], boolean>();

/** Whether some step is a point of no return, or may come to be one. */
function mayHavePivot(steps: readonly StepPlan[]): boolean {
  let has = known.get(steps);
  if (has === undefined) {
    has = steps.some((step) => {
      const isOpen = step.pivot === true || step.dynamic !== undefined;
      return isOpen || innerLists(step).some(mayHavePivot);
    });
    known.set(steps, has);
  }
  return has;
}

/**
 * Whether a point of no return was passed in what goes back with a scope: with a branch or a round
 * all others of its step do, so everything that its step holds.
 */
export function hasPassedPivot(task: Placed, scope: number): boolean {
  const holder = scopeBelow(task, scope)?.holder ?? null;
  return passedPivots(task).some((place) => holder === null || isHeldBy(task, place, holder));
}

/**
 * The task's own steps at or in which a point of no return was passed and not undone, by their
 * places.
 */
export function pivotsOfTask(task: Placed): readonly number[] {
  return passedPivots(task).map((place) => outermostPlace(task, place));
}

function passedPivots(task: Placed): readonly number[] {
  if (!mayHavePivot(task.plan.steps)) return [];
  const places = Array.from(task.runs.keys());
  return places.filter((place) => {
    const { normal, rollback } = task.runs[place] ?? {};
    const isDone = normal?.state === 'succeeded' && rollback?.state !== 'succeeded';
    return isDone && stepAt(task, place)?.pivot === true && !isBackAround(task, place);
  });
}

/** Whether a place lies in what goes back or is undone, because of what failed before. */
function isBackAround(task: Placed, place: number): boolean {
  for (let at = scopeBelow(task, scopeAt(task, place)); at !== null;) {
    if (at.way === 'back') return true;
    at = scopeBelow(task, scopeAt(task, at.holder));
  }
  return false;
}

/** Whether a place lies in a scope of this step, or in one below. */
function isHeldBy(task: Placed, place: number, holder: number): boolean {
  let below = scopeBelow(task, scopeAt(task, place));
  while (below !== null && below.holder !== holder) {
    below = scopeBelow(task, scopeAt(task, below.holder));
  }
  return below !== null;
}
