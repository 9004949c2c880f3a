import { outermostPlace, type Placed, scopeAt, scopeBelow, TASK } from './step-at.js';
import { StepMark } from './marked-steps.js';

const PIVOTS = new StepMark(
  ({ pivot }) => pivot === true,
  ({ normal, rollback }) => normal.state === 'succeeded' && rollback?.state !== 'succeeded',
);

/**
 * Whether a point of no return was passed in what goes back with a scope: with a branch or a round
 * all others of its step do, so everything that its step holds.
 */
export function hasPassedPivot(task: Placed, scope: number): boolean {
  const holder = scopeBelow(task, scope)?.holder ?? TASK;
  return PIVOTS.placesDone(task, holder).some((place) => !isBackAround(task, place));
}

/**
 * The task's own steps at or in which a point of no return was passed and not undone, by their
 * places.
 */
export function pivotsOfTask(task: Placed): readonly number[] {
  const passed = PIVOTS.placesDone(task).filter((place) => !isBackAround(task, place));
  return passed.map((place) => outermostPlace(task, place));
}

/** Whether a place lies in what goes back or is undone, because of what failed before. */
function isBackAround(task: Placed, place: number): boolean {
  for (let at = scopeBelow(task, scopeAt(task, place)); at !== null;) {
    if (at.way === 'back') return true;
    at = scopeBelow(task, scopeAt(task, at.holder));
  }
  return false;
}
