import { isActive, wasStarted } from '../task/action-run.js';
import type { Change } from '../change/change.js';
import { openChildren } from '../children/children.js';
import type { TerminateRequested } from '../task/event.js';
import { FAILURE_CODES } from '../task/failure.js';
import { LIVE_STATUSES } from '../task/status.js';
import { APPLIED, type Verdict } from '../task/verdict.js';
import { type ActionRule, admitAction } from './persons-action.js';
import { openActions } from '../scopes/task-index.js';
import type { ActionRef } from '../task/action-ref.js';
import { tendChildren } from '../moves/tend-children.js';

const RULE: ActionRule = { kind: 'terminate_requested', verb: 'terminate', legalIn: LIVE_STATUSES };

/** A person stops the task for good, without or before the end of rollback. */
export function terminateRequested(change: Change, event: TerminateRequested): Verdict {
  const verdict = admitAction(change, event, RULE);
  if (verdict !== null) return verdict;
  change.note(RULE.kind, { actor: event.actor, message: event.reason });
  const message = `terminated by ${event.actor}: ${event.reason}`;
  for (const ref of openActions(change.base)) endAction(change, ref, message);
  change.alerting.settle();
  change.standing.message = message;
  change.endTask('terminated');
  for (const scope of openChildren(change)) tendChildren(change, scope);
  change.note('task_terminated', { message });
  return APPLIED;
}

function endAction(change: Change, ref: ActionRef, message: string): void {
  const run = change.run(ref);
  if (run === null || !isActive(run)) return;
  if (run.state === 'queued' && !wasStarted(run) && ref.direction === 'normal') {
    change.recall(ref, run);
  } else {
    const ended = change.end(ref, run, ref.direction === 'normal' ? 'terminated' : 'failed');
    ended.code = FAILURE_CODES.TERMINATED;
    ended.message = message;
  }
}
