import type { Change } from '../change.js';
import { endTimedOut, failAttempt } from '../end-attempt.js';
import type { ActionRef } from '../event.js';
import type { ActionRun } from '../task.js';

/**
 * The holder was not heard of in time: the attempt counts as failed, and may have had an effect. A
 * look that was lost is simply taken again.
 */
export function loseLease(change: Change, ref: ActionRef, run: ActionRun): void {
  const owner = run.lease?.owner ?? 'nobody';
  const message = `executor ${owner} was not heard of before its lease ended`;
  change.noteRun('lease_lost', ref, { actor: owner, message });
  if (run.look !== 'none' && change.wants(ref)) {
    change.queue(ref, run);
  } else if (run.deadline !== null && run.deadline <= change.now) {
    endTimedOut(change, ref, message);
  } else {
    failAttempt(change, ref, { run, cause: { terminal: false, failure: 'LEASE_LOST', message } });
  }
}
