import { advance } from './advance.js';
import { endCalledOff } from './call-off.js';
import type { Change } from './change.js';
import type { ActionRef } from './event.js';
import { failScope } from './fail-scope.js';
import { type AttemptFailure, FAILURE_CODES, type FailureName } from './failure.js';
import { scopeAt, stepAt } from './places.js';
import { retryDelay } from './retry-delay.js';
import { raiseAlert } from './raise-alert.js';
import type { Hold } from './status.js';
import type { ActionRun } from './task.js';

const ROLLBACK_FAILED: Hold = Object.freeze({ why: 'rollback_failed', by: null, until: null });

/**
 * An attempt failed: another one if the budget and the time allow it, else the action has failed.
 */
export function failAttempt(
  change: Change,
  ref: ActionRef,
  { run, cause }: { run: ActionRun; cause: AttemptFailure },
): void {
  if (!change.wants(ref)) {
    endUnwanted(change, ref);
    return;
  }
  const policy = change.action(ref).retry;
  const wait = cause.afterMs ?? retryDelay(policy, run.spent, change.moment.chance);
  const inTime = run.deadline === null || change.now + wait < run.deadline;
  // An alert is never given up, whatever its command thinks of it.
  const terminal = cause.terminal && ref.direction !== 'alert';
  if (terminal || run.spent >= policy.attempts || !inTime) {
    endAction(change, ref, { state: 'failed', ...cause });
    return;
  }
  const next = wait === 0 ? change.queue(ref, run, change.now) : change.edit(ref, run, 'waiting');
  next.code = FAILURE_CODES[cause.failure];
  next.message = cause.message;
  next.look = 'none';
  if (wait === 0) return;
  next.lease = null;
  next.dueAt = change.now + wait;
  change.noteRun('retry_scheduled', ref, { dueAt: next.dueAt });
}

/** The time for all attempts together is over. */
export function endTimedOut(change: Change, ref: ActionRef, message: string): void {
  const run = change.run(ref);
  if (ref.direction === 'alert' && run !== null) {
    failAttempt(change, ref, { run, cause: { terminal: false, failure: 'TIMED_OUT', message } });
    return;
  }
  change.noteRun('timed_out', ref, { message });
  if (!change.wants(ref)) endUnwanted(change, ref);
  else endAction(change, ref, { state: 'timed_out', failure: 'TIMED_OUT', message });
}

/** An action of the way its scope no longer goes has stopped. */
export function endUnwanted(change: Change, ref: ActionRef): void {
  if (ref.direction === 'normal') endCalledOff(change, ref.step);
  advance(change);
}

function endAction(
  change: Change,
  ref: ActionRef,
  end: { state: 'failed' | 'timed_out'; failure: FailureName; message: string },
): void {
  const run = change.run(ref);
  if (run === null) return;
  const ended = change.end(ref, run, ref.direction === 'normal' ? end.state : 'failed');
  ended.code = FAILURE_CODES[end.failure];
  ended.message = end.message;
  const { module, command } = change.action(ref);
  const step = stepAt(change, ref.step)?.name ?? '';
  const word = end.state === 'timed_out' ? 'timed out' : 'failed';
  const sentence = `step ${step} (${module}.${command}) ${word}: ${end.message}`;
  if (ref.direction === 'normal') {
    failScope(change, scopeAt(change, ref.step), { why: `step_${end.state}`, message: sentence });
    advance(change);
  } else {
    failRollback(change, ref, `rollback of ${sentence}`);
  }
}

function failRollback(change: Change, ref: ActionRef, message: string): void {
  if (change.hold?.why === 'rollback_failed') change.message = message;
  else change.putOnHold(ROLLBACK_FAILED, message);
  change.noteRun('task_rollback_failed', ref, { message });
  raiseAlert(change, ref.step);
}
