import { advance } from '../advance.js';
import type { Change } from '../change.js';
import type { Succeeded } from '../event.js';
import { APPLIED, ignored, type Verdict } from '../verdict.js';
import { reportedRun } from './reported.js';

/**
 * Stores the output and goes on. A result that is in before anybody declared the deadline is judged
 * by the result; one that comes while the task goes back is kept, so that the rollback sees what
 * there is to undo.
 */
export function succeeded(change: Change, event: Succeeded): Verdict {
  const run = reportedRun(change, event);
  if (run === null) return ignored('stale_token');
  const ended = change.end(event, run, 'succeeded');
  ended.code = 0;
  ended.message = null;
  ended.output = event.direction === 'normal' ? event.output : null;
  change.noteRun('succeeded', event);
  if (event.direction !== 'alert') advance(change);
  return APPLIED;
}
