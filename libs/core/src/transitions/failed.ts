import type { Change } from '../change.js';
import { failAttempt } from '../end-attempt.js';
import type { Failed } from '../event.js';
import { APPLIED, ignored, type Verdict } from '../verdict.js';
import { reportedRun } from './reported.js';

/**
 * An attempt came to nothing: retry, or turn the task round; on the way back: retry, or call a
 * person.
 */
export function failed(change: Change, event: Failed): Verdict {
  const run = reportedRun(change, event);
  if (run === null) return ignored('stale_token');
  change.noteRun('failed', event, { message: event.message });
  failAttempt(change, event, { run, cause: event });
  return APPLIED;
}
