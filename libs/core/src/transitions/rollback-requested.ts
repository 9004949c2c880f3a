import type { Change } from '../change.js';
import type { RollbackRequested } from '../event.js';
import { TASK } from '../places.js';
import { TASK_STATUS } from '../status.js';
import { turnBack } from '../turn-back.js';
import { APPLIED, type Verdict } from '../verdict.js';
import { type ActionRule, admitAction } from './persons-action.js';

const RULE: ActionRule = {
  kind: 'rollback_requested',
  verb: 'rollback',
  legalIn: [TASK_STATUS.not_started, TASK_STATUS.running, TASK_STATUS.paused],
};

/** A paused task may go back already. */
const RULE_BACK: ActionRule = {
  ...RULE,
  legalIn: [TASK_STATUS.not_started, TASK_STATUS.running],
};

/** A person turns the task round; what is running is called off and then undone as well. */
export function rollbackRequested(change: Change, event: RollbackRequested): Verdict {
  const verdict = admitAction(change, event, change.way === 'forward' ? RULE : RULE_BACK);
  if (verdict !== null) return verdict;
  change.note(RULE.kind, { actor: event.actor, message: event.reason });
  const message = `rolled back by ${event.actor}: ${event.reason}`;
  turnBack(change, TASK, { why: 'requested', message });
  return APPLIED;
}
