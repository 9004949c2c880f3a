import type { Change } from '../change.js';
import type { Renewed } from '../event.js';
import { APPLIED, ignored, type Verdict } from '../verdict.js';
import { reportedRun } from './reported.js';

/**
 * Extends the lease while the task still wants the action. Not journalled: it happens every few
 * seconds.
 */
export function renewed(change: Change, event: Renewed): Verdict {
  const run = reportedRun(change, event);
  if (run === null || run.lease === null) return ignored('stale_token');
  if (!change.wants(event)) return ignored('called_off');
  const { owner, token } = run.lease;
  const until = change.now + event.leaseMs;
  change.edit(event, run, 'running').lease = { owner, token, until };
  return APPLIED;
}
