import type { Change } from '../change/change.js';
import type { UndoRequested } from '../task/event.js';
import { refuseImported } from '../task/import-action.js';
import { isOwedTask } from '../task/parent.js';
import { TASK } from '../scopes/step-at.js';
import { TASK_STATUS } from '../task/status.js';
import { turnBack } from '../advance/turn-back.js';
import { APPLIED, illegal, type Verdict } from '../task/verdict.js';
import { refusePastPivot } from './step-back.js';
import { type ActionRule, admitAction } from './persons-action.js';

const RULE: ActionRule = {
  kind: 'undo_requested',
  verb: 'undo',
  legalIn: [TASK_STATUS.succeeded],
};

/**
 * Refuses the undo of a child task, unless its parent asks: a child that the parent counted as
 * succeeded must stay so for as long as the parent does.
 */
function refuseForChild({ plan }: Change, { isByParent }: UndoRequested): Verdict | null {
  const { parent } = plan;
  if (parent === null || isOwedTask(parent) || isByParent === true) return null;
  return illegal(
    'a child task is undone by its parent: undo the parent, or roll it back to the step',
  );
}

/** A person has a task that succeeded undone: it goes back as if it had failed at its very end. */
export function undoRequested(change: Change, event: UndoRequested): Verdict {
  const verdict =
    refuseForChild(change, event) ??
    refuseImported(change, RULE.verb) ??
    admitAction(change, event, RULE) ??
    refusePastPivot(change, { to: -1, verb: RULE.verb, isWhole: true });
  if (verdict !== null) return verdict;
  const { actor: by, reason } = event;
  change.note(RULE.kind, { actor: by, message: reason });
  turnBack(change, TASK, { why: 'requested', by, message: `undone by ${by}: ${reason}` });
  return APPLIED;
}
