import type { Change } from '../change.js';
import { endUnwanted, failAttempt } from '../end-attempt.js';
import type { HandedBack } from '../event.js';
import { APPLIED, ignored, type Verdict } from '../verdict.js';
import { reportedRun } from './reported.js';

/**
 * The executor is stopping: somebody else starts the action again, and the attempt is not charged.
 * One that must not be started twice has failed, because nobody knows how far its command got.
 */
export function handedBack(change: Change, event: HandedBack): Verdict {
  const run = reportedRun(change, event);
  if (run === null) return ignored('stale_token');
  change.noteRun('handed_back', event, { message: event.message });
  if (!change.wants(event)) {
    endUnwanted(change, event);
    return APPLIED;
  }
  if (run.look === 'none' && change.action(event).onCrash === 'fail') {
    const { message } = event;
    const cause = { terminal: true, failure: 'LEASE_LOST', message } as const;
    failAttempt(change, event, { run, cause });
    return APPLIED;
  }
  const refund = run.look === 'none' ? 1 : 0;
  change.queue(event, run, change.orderNow).spent = Math.max(0, run.spent - refund);
  return APPLIED;
}
