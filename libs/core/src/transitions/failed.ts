import type { Change } from '../change/change.js';
import { endTimedOut, failAttempt } from '../advance/end-attempt.js';
import type { Failed, TimedOut } from '../task/event.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import { countRefused, reportedRun } from './reported.js';

/**
 * An attempt came to nothing: retry, or turn the task round; on the way back: retry, or call a
 * person. An attempt that was refused, or gave up before it did anything, is counted as one without
 * an effect; a refused look is not, because what it looks for was started before.
 */
export function failed(change: Change, event: Failed): Verdict {
  const run = reportedRun(change, event);
  if (run === null) return ignored('stale_token');
  const refused = event.refused === true && run.look === 'none';
  const { failure: code, intended, message, stack } = event;
  change.noteRun('failed', event, { message, code, stack, intended, refused });
  failAttempt(change, event, {
    run: refused ? countRefused(change, event, run) : run,
    cause: event,
  });
  return APPLIED;
}

/**
 * The lease's holder saw the end of the time for all attempts: no further one, whatever the budget
 * says.
 */
export function timedOut(change: Change, event: TimedOut): Verdict {
  if (reportedRun(change, event) === null) return ignored('stale_token');
  endTimedOut(change, event, event.message);
  return APPLIED;
}
