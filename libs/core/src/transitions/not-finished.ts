import type { Change } from '../change/change.js';
import { endTimedOut, endUnwanted } from '../advance/end-attempt.js';
import type { NotFinished } from '../task/event.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import { reportedRun } from './reported.js';

/**
 * Looks again later. At the deadline there is one last look, because completion counts before the
 * timeout.
 */
export function notFinished(change: Change, event: NotFinished): Verdict {
  const run = reportedRun(change, event);
  if (run === null) return ignored('stale_token');
  if (!change.wants(event)) {
    endUnwanted(change, event);
    return APPLIED;
  }
  if (run.look === 'last') {
    endTimedOut(change, event, 'not finished when its time was over');
    return APPLIED;
  }
  // An obstacle is noted when it changes, not at every look.
  const message = event.message ?? null;
  if (run.look === 'none' || (message !== null && message !== run.message)) {
    change.noteRun('not_finished', event, { message: event.message });
  }
  const deadline = run.deadline ?? Infinity;
  const asked = change.now + event.afterMs;
  const next = change.edit(event, run, 'waiting');
  next.lease = null;
  next.message = message;
  next.dueAt = Math.max(change.now, Math.min(asked, deadline));
  next.look = asked >= deadline ? 'last' : 'again';
  return APPLIED;
}
