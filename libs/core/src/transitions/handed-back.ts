import type { Change } from '../change.js';
import { endUnwanted } from '../end-attempt.js';
import type { HandedBack } from '../event.js';
import { APPLIED, ignored, type Verdict } from '../verdict.js';
import { reportedRun } from './reported.js';

/**
 * The executor is stopping: somebody else starts the action again, and the attempt is not charged.
 */
export function handedBack(change: Change, event: HandedBack): Verdict {
  const run = reportedRun(change, event);
  if (run === null) return ignored('stale_token');
  change.noteRun('handed_back', event, { message: event.message });
  if (!change.wants(event)) {
    endUnwanted(change, event);
    return APPLIED;
  }
  const refund = run.look === 'none' ? 1 : 0;
  change.queue(event, run).spent = Math.max(0, run.spent - refund);
  return APPLIED;
}
