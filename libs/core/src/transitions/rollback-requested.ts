import type { Change } from '../change/change.js';
import type { RollbackRequested } from '../task/event.js';
import { TASK } from '../scopes/step-at.js';
import { ownPlaceOf } from '../scopes/run-id.js';
import { TASK_STATUS } from '../task/status.js';
import { turnBack } from '../advance/turn-back.js';
import { APPLIED, type Verdict } from '../task/verdict.js';
import { type ActionRule, admitAction } from './persons-action.js';
import { refusePastPivot, refuseStepBack } from './step-back.js';

const RULE: ActionRule = {
  kind: 'rollback_requested',
  verb: 'rollback',
  legalIn: [TASK_STATUS.not_started, TASK_STATUS.running, TASK_STATUS.on_hold, TASK_STATUS.paused],
};

/** Of a paused task that goes back already. */
const RULE_BACK: ActionRule = {
  ...RULE,
  legalIn: [TASK_STATUS.not_started, TASK_STATUS.running, TASK_STATUS.on_hold],
};

/**
 * A person turns the task round; what is running is called off and then undone as well. With `to`
 * only that step and everything that needs it are undone, and then the task is on hold.
 */
export function rollbackRequested(change: Change, event: RollbackRequested): Verdict {
  const { actor: by, reason } = event;
  const to = event.to === undefined ? null : (ownPlaceOf(change, event.to) ?? -1);
  const verdict =
    admitAction(change, event, ruleFor(change)) ??
    (to === null ? null : refuseStepBack(change, { name: event.to ?? '', to, verb: RULE.verb })) ??
    refusePastPivot(change, { to: to ?? -1, verb: RULE.verb });
  if (verdict !== null) return verdict;
  change.note(RULE.kind, { actor: by, message: reason });
  if (change.hold !== null) change.endHold();
  const extent = to === null ? '' : ` to step ${event.to}`;
  const message = `rolled back${extent} by ${by}: ${reason}`;
  turnBack(change, TASK, { why: 'requested', by, message, to });
  return APPLIED;
}

function ruleFor({ status, way }: Change): ActionRule {
  return status === TASK_STATUS.paused && way !== 'forward' ? RULE_BACK : RULE;
}
