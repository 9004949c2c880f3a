import type { Change } from '../change.js';
import type { UndoRequested } from '../event.js';
import { TASK } from '../places.js';
import { TASK_STATUS } from '../status.js';
import { turnBack } from '../turn-back.js';
import { APPLIED, type Verdict } from '../verdict.js';
import { refusePastPivot } from './step-back.js';
import { type ActionRule, admitAction } from './persons-action.js';

const RULE: ActionRule = {
  kind: 'undo_requested',
  verb: 'undo',
  legalIn: [TASK_STATUS.succeeded],
};

/** A person has a task that succeeded undone: it goes back as if it had failed at its very end. */
export function undoRequested(change: Change, event: UndoRequested): Verdict {
  const verdict =
    admitAction(change, event, RULE) ?? refusePastPivot(change, { to: -1, verb: RULE.verb });
  if (verdict !== null) return verdict;
  const { actor: by, reason } = event;
  change.note(RULE.kind, { actor: by, message: reason });
  turnBack(change, TASK, { why: 'requested', by, message: `undone by ${by}: ${reason}` });
  return APPLIED;
}
