import { isActive, wasStarted } from '../task/action-run.js';
import { isAtWork, isBeingUndone, isToForgive, waitsForBranch } from '../scopes/steps-at-work.js';
import type { Change } from '../change/change.js';
import { earlyEnd } from '../scopes/early-step.js';
import { heldBy } from '../scopes/scope-index.js';
import { clearUndo, putStage } from '../moves/scope-change.js';
import { startsActions } from '../task/status.js';
import { normalOf } from '../task/action-ref.js';

/** Whether the task was about to end early, and the step that ended it is being undone now. */
export function endsNoMore(change: Change): boolean {
  if (change.way === 'back' || !startsActions(change)) return false;
  return earlyEnd(change.base) !== null && earlyEnd(change) === null;
}

/** Whether a step has ended the task early in this change. A reset may run the same step again. */
export function endsNow(change: Change): boolean {
  const { base, runs } = change;
  const place = earlyEnd(change);
  if (place === null) return false;
  return earlyEnd(base) === null || runs[place]?.normal !== base.runs[place]?.normal;
}

/**
 * Ends a task early, once nothing of it is in anybody's hands and nothing is being undone. On hold,
 * and while a reset undoes its part, it waits, but nothing of it starts any more.
 */
export function endEarly(change: Change): void {
  if (change.outcome !== null || earlyEnd(change) === null) return;
  const open = change.index.placesOpen(change.runs);
  for (const place of open) stopQueued(change, place);
  if (change.way === 'back' || !startsActions(change)) return;
  if (open.some((place) => isUnderWay(change, place))) return;
  // Only now all of it is looked at, which is once.
  const places = Array.from(change.runs.keys());
  if (places.some((place) => isUnderWay(change, place))) return;
  for (const place of places) close(change, place);
  change.endTask('succeeded');
  change.note('task_succeeded');
}

/** Takes back a queued action that was never started. */
function stopQueued(change: Change, place: number): void {
  const ref = normalOf(place);
  const run = change.run(ref);
  if (run?.state === 'queued' && !wasStarted(run)) change.recall(ref, run);
}

function isUnderWay(change: Change, place: number): boolean {
  return isBeingUndone(change, place) || isToForgive(change, place) || isAtWork(change, place);
}

/**
 * Ends a step early: one that holds steps succeeds with those that are done, and its scopes are
 * over with it, so that they are undone as those of any other step; one that only waits is passed
 * over.
 */
function close(change: Change, place: number): void {
  const ref = normalOf(place);
  const run = change.run(ref);
  if (run === null || !isActive(run)) return;
  if (waitsForBranch(change, place)) clearUndo(change, place);
  if (run.state === 'running') {
    for (const scope of heldBy(change, place).open) putStage(change, scope, 'done');
    change.end(ref, run, 'succeeded');
  } else change.end(ref, change.edit(ref, run, 'queued'), 'skipped');
}
