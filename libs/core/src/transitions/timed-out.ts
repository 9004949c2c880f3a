import type { Change } from '../change/change.js';
import { endTimedOut } from '../advance/end-attempt.js';
import type { TimedOut } from '../task/event.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import { reportedRun } from './reported.js';

/**
 * The lease's holder saw the end of the time for all attempts: no further one, whatever the budget
 * says.
 */
export function timedOut(change: Change, event: TimedOut): Verdict {
  if (reportedRun(change, event) === null) return ignored('stale_token');
  endTimedOut(change, event, event.message);
  return APPLIED;
}
