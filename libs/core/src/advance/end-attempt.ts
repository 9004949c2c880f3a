import type { RetryPolicy } from '../flow/action.js';
import { advance } from './advance.js';
import { endCalledOff } from '../moves/call-off.js';
import type { Change } from '../change/change.js';
import { type AttemptFailure, FAILURE_CODES, type FailureName } from '../task/failure.js';
import { stepAt } from '../scopes/step-at.js';
import { failStep } from '../moves/recover.js';
import { retryDelay } from '../task/retry-delay.js';
import { callsPerson, type Hold } from '../task/status.js';
import { isAlertTask } from '../task/parent.js';
import type { ActionRef } from '../task/action-ref.js';
import type { ActionRun } from '../task/action-run.js';

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
  // An alert is never given up, nor put off for long, whatever its command thinks of it.
  const isAlert = isAlertTask(change.plan.parent);
  const mayRetry = isAlert || (!cause.terminal && isRetried(policy, cause));
  const longest = isAlert ? (policy.maxDelayMs ?? Infinity) : Infinity;
  const delay = cause.afterMs ?? retryDelay(policy, run.spent, change.moment.chance);
  const wait = Math.min(delay, longest);
  const inTime = run.deadline === null || change.now + wait < run.deadline;
  if (!mayRetry || run.spent >= policy.attempts || !inTime) {
    endAction(change, ref, { state: 'failed', ...cause });
    return;
  }
  const next = wait === 0 ? change.queue(ref, run, change.now) : change.edit(ref, run, 'waiting');
  next.code = FAILURE_CODES[cause.failure];
  next.error = cause.error ?? null;
  next.message = cause.message;
  next.look = 'none';
  if (wait === 0) return;
  next.lease = null;
  next.dueAt = change.now + wait;
  change.noteRun('retry_scheduled', ref, { dueAt: next.dueAt });
}

/**
 * Nobody said in time how an attempt ended that was handed to a person or system outside: another
 * one if the budget and the time allow it.
 */
export function endAwaited(change: Change, ref: ActionRef, run: ActionRun): void {
  const message = 'its end was not reported from outside in time';
  const isOver = run.deadline !== null && run.deadline <= change.now;
  if (isOver || run.spent >= change.action(ref).retry.attempts) {
    endTimedOut(change, ref, message);
    return;
  }
  const failure = 'TIMED_OUT';
  change.noteRun('failed', ref, { message, code: failure });
  failAttempt(change, ref, {
    run: takeUp(change, ref, run),
    cause: { terminal: false, failure, message },
  });
}

/** An action that waits is in hand again, for what is decided about its attempt. */
export function takeUp(change: Change, ref: ActionRef, run: ActionRun): ActionRun {
  if (run.state === 'running') return run;
  const queued = run.state === 'queued' ? run : change.edit(ref, run, 'queued');
  return change.edit(ref, queued, 'running');
}

/** Whether a policy has this error tried again. */
function isRetried({ never, only }: RetryPolicy, { error, failure }: AttemptFailure): boolean {
  const code = error ?? failure;
  return never?.includes(code) !== true && only?.includes(code) !== false;
}

/** The time for all attempts together is over. */
export function endTimedOut(change: Change, ref: ActionRef, message: string): void {
  change.noteRun('timed_out', ref, { message });
  if (!change.wants(ref)) endUnwanted(change, ref);
  else endAction(change, ref, { state: 'timed_out', failure: 'TIMED_OUT', message });
}

/** A queued action is not to be started any more: it has expired, or its time is over. */
export function endUnclaimed(change: Change, ref: ActionRef, run: ActionRun): void {
  if (run.deadline !== null) {
    endTimedOut(change, ref, 'the time was over before another attempt could start');
    return;
  }
  const message = 'it expired: nobody started it in time';
  change.noteRun('failed', ref, { message, code: 'EXPIRED' });
  endAction(change, ref, { state: 'failed', failure: 'EXPIRED', message });
}

/** An action of the way its scope no longer goes has stopped. */
export function endUnwanted(change: Change, ref: ActionRef): void {
  if (ref.direction === 'normal') endCalledOff(change, ref.step);
  advance(change);
}

/** How an action ends that is not tried again. */
interface End {
  readonly state: 'failed' | 'timed_out';
  readonly failure: FailureName;
  readonly error?: string;
  readonly message: string;
}

function endAction(change: Change, ref: ActionRef, end: End): void {
  const run = change.run(ref);
  if (run === null) return;
  const { message, state } = end;
  const ended = change.end(ref, run, ref.direction === 'normal' ? state : 'failed');
  ended.code = FAILURE_CODES[end.failure];
  ended.error = end.error ?? null;
  ended.message = message;
  const step = stepAt(change, ref.step)?.name ?? '';
  if (ref.direction === 'normal') {
    const cause = { code: end.error ?? end.failure, step, message };
    failStep(change, ref.step, { cause, message, isLate: state === 'timed_out' });
    advance(change);
  } else {
    const { module, command } = change.action(ref);
    const word = state === 'timed_out' ? 'timed out' : 'failed';
    failRollback(
      change,
      ref,
      `rollback of step ${step} (${module}.${command}) ${word}: ${message}`,
    );
  }
}

/** A rollback cannot even be started: a person is called, as for any that failed. */
export function endUnstarted(change: Change, ref: ActionRef, message: string): void {
  endAction(change, ref, { state: 'failed', failure: 'EXPRESSION_FAILED', message });
}

/** A rollback failed, or cannot be: its task waits for a person, and an alert calls one. */
export function failRollback(change: Change, ref: ActionRef, message: string): void {
  if (callsPerson(change)) change.standing.message = message;
  else change.standing.putOnHold(ROLLBACK_FAILED, message);
  change.noteRun('task_rollback_failed', ref, { message });
  const startsAt = change.alerting.raise();
  if (startsAt === null) return;
  const dueAt = startsAt > change.now ? startsAt : undefined;
  change.noteRun('alert_raised', ref, { message, dueAt });
}
