import type { Change } from '../change/change.js';
import type { Restarted } from '../task/event.js';
import { waitingTickets } from '../locks/lock.js';
import { lookForLocks } from '../moves/lock-gate.js';
import { isAsking } from '../kinds/question-of.js';
import { maySend } from '../task/status.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import { loseLease } from './lease-lost.js';
import { everyAction } from './tick.js';
import { lookAgain } from '../moves/tend-children.js';

/**
 * Takes up at once what a former life of the only process left behind, instead of waiting for
 * leases and look-agains.
 */
export function restarted(change: Change, event: Restarted): Verdict {
  let found = 0;
  // A lost lease queues its action with a message of its own: only those queued before are sent
  // again.
  for (const ref of everyAction(change)) {
    const run = change.run(ref);
    if (run === null || !maySend(change, ref.direction)) continue;
    // The question was put to a process that is gone: ask again.
    if (isAsking(change, ref)) change.ask(ref, run);
    else if (run.state === 'queued') change.sendAgain(ref, run);
    else if (!lookAgain(change, ref)) continue;
    found++;
  }
  for (const ref of everyAction(change)) {
    const run = change.run(ref);
    if (run?.state !== 'running' || run.lease === null) continue;
    // A worker is another process, and lives on.
    if (run.lease.owner === event.owner || run.lease.terms !== undefined) continue;
    loseLease(change, ref, run);
    found++;
  }
  for (const ticket of waitingTickets(change)) {
    lookForLocks(change, ticket);
    found++;
  }
  return found > 0 ? APPLIED : ignored('nothing_due');
}
