import { advance } from '../advance/advance.js';
import type { Change } from '../change/change.js';
import { excessWith } from '../moves/room.js';
import type { Failed, Succeeded } from '../task/event.js';
import { wayAt } from '../scopes/step-at.js';
import { forgiveUndone } from '../moves/recover.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import { failed } from './failed.js';
import { reportedRun } from './reported.js';

/**
 * Stores the output and goes on. A result that is in before anybody declared the deadline is judged
 * by the result; one that comes while the task goes back is kept, so that the rollback sees what
 * there is to undo. An output that the task cannot hold is a failure for good, and undone like any.
 */
export function succeeded(change: Change, event: Succeeded): Verdict {
  const run = reportedRun(change, event);
  if (run === null) return ignored('stale_token');
  const excess = excessOf(change, event);
  if (excess !== null) return failed(change, excess);
  const output = event.direction === 'normal' ? event.output : null;
  const ended = change.end(event, run, 'succeeded');
  ended.code = 0;
  ended.error = null;
  ended.message = null;
  ended.output = output;
  const { creates, released } = event;
  change.noteRun('succeeded', event, { creates, released });
  if (event.direction === 'rollback' && wayAt(change, event.step) === 'forward') {
    forgiveUndone(change, event.step);
  }
  advance(change);
  return APPLIED;
}

/** The failure that an output is with which the task would outgrow its store, or null. */
function excessOf(change: Change, event: Succeeded): Failed | null {
  if (event.output === null || event.direction !== 'normal') return null;
  const message = excessWith(change, event.output);
  if (message === null) return null;
  const { direction, step, token } = event;
  const failure = 'OUTPUT_TOO_LARGE';
  return { kind: 'failed', direction, step, token, terminal: true, failure, message };
}
