import type { Change } from '../change/change.js';
import { endTimedOut, failAttempt } from '../advance/end-attempt.js';
import { FAILURE_CODES } from '../task/failure.js';
import type { ActionRef } from '../task/action-ref.js';
import type { ActionRun } from '../task/action-run.js';

/**
 * The holder's session or lease has ended, and the attempt may have had an effect. A look that was
 * lost is simply taken again.
 */
export function loseLease(change: Change, ref: ActionRef, run: ActionRun): void {
  const owner = run.lease?.owner ?? 'nobody';
  const message = `executor ${owner} stopped responding (lease expired)`;
  change.noteRun('lease_lost', ref, { actor: owner, message });
  if (run.look !== 'none' && change.wants(ref)) {
    change.queue(ref, run, change.now);
  } else if (run.deadline !== null && run.deadline <= change.now) {
    endTimedOut(change, ref, message);
  } else {
    loseAttempt(change, ref, { run, message });
  }
}

/**
 * A crash is not the author's failure: the action is queued again, and its retries are left as they
 * were. Once its restarts are used up the attempt has failed like any other, which bounds a command
 * that ends its process each time.
 */
function loseAttempt(
  change: Change,
  ref: ActionRef,
  { run, message }: { run: ActionRun; message: string },
): void {
  const lost = change.edit(ref, run, run.state);
  lost.crashes += 1;
  const policy = change.action(ref).onCrash;
  const terminal = policy === 'fail';
  if (terminal || lost.crashes > policy.restarts || !change.wants(ref)) {
    const cause = { terminal, failure: 'LEASE_LOST', message } as const;
    failAttempt(change, ref, { run: lost, cause });
    return;
  }
  const next = change.queue(ref, lost, change.now);
  next.code = FAILURE_CODES.LEASE_LOST;
  next.message = message;
  next.spent = Math.max(0, lost.spent - 1);
  change.noteRun('restart_scheduled', ref);
}
