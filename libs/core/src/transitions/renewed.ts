import type { Change } from '../change/change.js';
import type { Renewed } from '../task/event.js';
import { DELIVERED_MS, type LeaseTerms, STOP_WITHIN_MS } from '../task/lease-terms.js';
import { isToStop } from '../scopes/step-at.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import { reportedRun } from './reported.js';

/**
 * A worker shows that it is at work. Where the task does not want the action any more, or the time
 * for the attempt is over, the lease gets its last end: no heartbeat holds up a way back.
 */
export function renewed(change: Change, event: Renewed): Verdict {
  const run = reportedRun(change, event);
  const lease = run?.lease ?? null;
  if (run === null || lease?.terms === undefined) return ignored('stale_token');
  const { terms } = lease;
  if (terms.isCancelled) return ignored('called_off');
  const isCancelled = isToStop(change, event) || terms.reportBy <= change.now;
  const next = change.edit(event, run, 'running');
  const renewedTerms = { ...terms, isHeld: terms.isHeld || !isCancelled, isCancelled };
  next.lease = { ...lease, terms: renewedTerms };
  next.dueAt = isCancelled ? change.now + STOP_WITHIN_MS : leaseEnd(renewedTerms, change.now);
  return APPLIED;
}

/**
 * When a lease ends that begins or is renewed now, milliseconds since 1970. A worker that does not
 * stop by itself at the end of its attempt has it for a little longer.
 */
export function leaseEnd({ isHeld, lengthMs, reportBy }: LeaseTerms, now: number): number {
  const length = isHeld ? lengthMs : Math.min(lengthMs, DELIVERED_MS);
  return Math.min(now + length, Math.max(reportBy, now) + STOP_WITHIN_MS);
}
