import type { Change } from '../change/change.js';
import { nextAttempt } from '../scopes/dispatch.js';
import { endUnclaimed } from '../advance/end-attempt.js';
import type { ActionRun, Draft } from '../task/action-run.js';
import type { Claimed, WorkerClaim } from '../task/event.js';
import { leaseEnd } from './renewed.js';
import { isAsking } from '../kinds/question-of.js';
import { maySend } from '../task/status.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import { queueDeadline } from '../scopes/wake.js';

/**
 * Grants the lease and counts the attempt, before anything is run: a command that kills its process
 * counts too.
 */
export function claimed(change: Change, event: Claimed): Verdict {
  const run = change.run(event);
  if (run === null) return ignored('no_such_action');
  if (run.state !== 'queued' || isAsking(change, event)) return ignored('not_queued');
  if (nextAttempt(run) !== event.attempt) return ignored('stale_attempt');
  if (!maySend(change)) return ignored('paused');
  if (queueDeadline(run) <= change.now) {
    endUnclaimed(change, event, run);
    return APPLIED;
  }
  change.token += 1;
  const cost = run.look === 'none' ? 1 : 0;
  const next = change.edit(event, run, 'running');
  next.startedAt ??= change.now;
  next.attempts += cost;
  next.spent += cost;
  next.orderAt = null;
  const { attemptTimeoutMs, timeoutMs } = change.action(event);
  next.deadline ??= change.now + timeoutMs;
  const reportsBy = Math.min(next.deadline, change.now + (attemptTimeoutMs ?? Infinity));
  // The last look starts when the deadline has come.
  next.dueAt = Math.max(reportsBy, change.now) + change.moment.timing.overdueAfterMs;
  next.lease = { owner: event.owner, token: change.token };
  if (event.worker !== undefined) deliver(change, next, { claim: event.worker, reportsBy });
  next.expired = null;
  if (change.startedAt === null) change.standing.begin();
  if (cost > 0)
    change.noteRun('started', event, { actor: event.owner, build: event.worker?.build });
  return APPLIED;
}

/** The action goes to a worker, which has yet to show that it came there. */
function deliver(
  { now }: Change,
  next: Draft<ActionRun>,
  { claim, reportsBy }: { readonly claim: WorkerClaim; readonly reportsBy: number },
): void {
  const { expired, lease, look } = next;
  const { lengthMs, poll } = claim;
  if (lease === null) return;
  const reportBy = look === 'last' ? Math.max(reportsBy, now + lengthMs) : reportsBy;
  const unheld = expired?.unheld ?? 0;
  const terms = { lengthMs, reportBy, isHeld: false, isCancelled: false, unheld, poll, since: now };
  next.lease = { owner: lease.owner, token: lease.token, terms };
  next.dueAt = leaseEnd(terms, now);
}
