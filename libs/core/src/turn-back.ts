import { NOTHING_TO_UNDO, UNDO_PENDING, wasStarted } from './action-run.js';
import { advance } from './advance.js';
import type { Change } from './change.js';
import { FAILURE_CODES } from './failure.js';
import { TASK_STATUS } from './status.js';

/**
 * Turns the task round: nothing new is started, what nobody had taken is called back, what is
 * running is called off, and everything that ran is to be undone, what failed included, because its
 * outcome is unknown.
 */
export function turnBack(change: Change, message: string): void {
  change.setStatus(TASK_STATUS.rolling_back);
  change.message = message;
  change.note('turned_back', { message });
  change.runs.forEach((_, step) => turnStep(change, step));
  advance(change);
}

/**
 * The way back goes on after a person's action: the task says again why it turned round, not what
 * was in the way of that. It is for people, so it comes from what is kept for people.
 */
export function resumeWayBack(change: Change): void {
  const turned = change.base.journal.findLast(({ kind }) => kind === 'turned_back');
  change.message = turned?.message ?? change.message;
  change.setStatus(TASK_STATUS.rolling_back);
  advance(change);
}

function turnStep(change: Change, step: number): void {
  const ref = { direction: 'normal', step } as const;
  callOff(change, step);
  const normal = change.run(ref);
  const undo = change.run({ direction: 'rollback', step });
  if (normal === null || undo === null || undo.state !== NOTHING_TO_UNDO.state) return;
  if (wasStarted(normal)) change.putRun({ direction: 'rollback', step }, UNDO_PENDING);
}

/** Ends a normal action that is not in anybody's hands; a running one is told by its lease. */
function callOff(change: Change, step: number): void {
  const ref = { direction: 'normal', step } as const;
  const run = change.run(ref);
  if (run === null) return;
  if (run.state === 'queued' && !wasStarted(run)) {
    change.recall(ref, run);
  } else if (run.state === 'queued' || run.state === 'waiting') {
    endCalledOff(change, step);
  }
}

/** A normal action that ran and will not be finished: the task goes back. */
export function endCalledOff(change: Change, step: number): void {
  const ref = { direction: 'normal', step } as const;
  const run = change.run(ref);
  if (run === null) return;
  const ended = change.end(ref, run, 'failed');
  ended.code = FAILURE_CODES.CALLED_OFF;
  ended.message ??= 'called off: the task is going back';
  change.noteRun('called_off', ref);
}
