import type { Change } from '../change/change.js';
import { endTimedOut, endUnwanted, failAttempt } from '../advance/end-attempt.js';
import type { CompletesLater } from '../task/event.js';
import { isAlertTask } from '../task/parent.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import { reportedRun } from './reported.js';

/** Said while a person or system outside has the say. */
const AWAITED = 'waits for its completion from outside';

/**
 * The attempt is in the hands of a person or system outside: nothing holds a lease, nothing is
 * looked at, and at the end of the time it has failed.
 */
export function completesLater(change: Change, event: CompletesLater): Verdict {
  const run = reportedRun(change, event);
  if (run === null) return ignored('stale_token');
  if (!change.wants(event)) {
    endUnwanted(change, event);
    return APPLIED;
  }
  if (isAlertTask(change.plan.parent)) {
    const message = 'an alert cannot be completed from outside';
    failAttempt(change, event, { run, cause: { terminal: false, failure: 'FAILED', message } });
    return APPLIED;
  }
  const deadline = run.deadline ?? Infinity;
  if (deadline <= change.now) {
    endTimedOut(change, event, 'not finished when its time was over');
    return APPLIED;
  }
  change.noteRun('not_finished', event, { message: AWAITED });
  const next = change.edit(event, run, 'waiting');
  next.lease = null;
  next.message = AWAITED;
  next.look = 'outside';
  next.dueAt = Math.min(change.now + (event.timeoutMs ?? Infinity), deadline);
  return APPLIED;
}
