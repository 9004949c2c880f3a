import { waitsToBeForgiven } from '../task/action-run.js';
import type { Change } from '../change/change.js';
import { hasLocks } from './lock-gate.js';
import { queueAction } from './queue-action.js';
import { rollbackOf } from './scope-change.js';

/**
 * Has a step undone that failed and is to be caught or passed over, unless that was begun. It waits
 * for locks that were let go of as the task was about to end.
 */
export function undoForgiven(change: Change, place: number): void {
  const both = change.runs[place];
  if (both === undefined || !waitsToBeForgiven(both) || !hasLocks(change, place)) return;
  queueAction(change, rollbackOf(place));
}
