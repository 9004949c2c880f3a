import { mayHaveEffect, NOTHING_TO_UNDO, UNDO_PENDING, wasStarted } from '../task/action-run.js';
import type { Change } from '../change/change.js';
import { FAILURE_CODES } from '../task/failure.js';

/** Ends a normal action that is not in anybody's hands; a running one is told by its lease. */
export function callOff(change: Change, step: number): void {
  const ref = { direction: 'normal', step } as const;
  const run = change.run(ref);
  if (run === null) return;
  if (run.state === 'queued' && !wasStarted(run)) {
    change.recall(ref, run);
  } else if (run.state === 'queued' || run.state === 'waiting') {
    endCalledOff(change, step);
  }
}

/**
 * A normal action that ran and will not be finished: its scope goes back. Should it turn out now
 * that its command was never entered, there is nothing to undo after all.
 */
export function endCalledOff(change: Change, step: number): void {
  const ref = { direction: 'normal', step } as const;
  const run = change.run(ref);
  if (run === null) return;
  const ended = change.end(ref, run, 'terminated');
  ended.code = FAILURE_CODES.CALLED_OFF;
  ended.message ??= 'called off: the task is going back';
  change.noteRun('called_off', ref);
  const undo = { direction: 'rollback', step } as const;
  const isPending = change.run(undo)?.state === UNDO_PENDING.state;
  if (isPending && !mayHaveEffect(ended)) change.putRun(undo, NOTHING_TO_UNDO);
}
