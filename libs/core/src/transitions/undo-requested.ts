import type { Change } from '../change/change.js';
import type { UndoRequested } from '../task/event.js';
import { refuseImported } from '../task/import-action.js';
import { isOwedTask } from '../task/parent.js';
import { TASK } from '../scopes/step-at.js';
import { TASK_STATUS } from '../task/status.js';
import { advance } from '../advance/advance.js';
import { failRollback } from '../advance/end-attempt.js';
import { nameAt, turnScope } from '../moves/scope-change.js';
import { pivotsOfTask } from '../scopes/pivot.js';
import { rollbackOf } from '../task/action-ref.js';
import { APPLIED, illegal, type Verdict } from '../task/verdict.js';
import { refusePastPivot } from './step-back.js';
import { type ActionRule, admitAction } from './persons-action.js';

const RULE: ActionRule = { kind: 'undo_requested', verb: 'undo', legalIn: [TASK_STATUS.succeeded] };

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

/**
 * A person, or its parent, has a task that succeeded undone: it goes back as if it had failed at
 * its very end. A child task that passed a point of no return does nothing: a person is called, and
 * its parent waits until that person has terminated it.
 */
export function undoRequested(change: Change, event: UndoRequested): Verdict {
  const { actor: by, isByParent = false, reason } = event;
  const verdict =
    refuseForChild(change, event) ??
    refuseImported(change, RULE.verb) ??
    admitAction(change, event, RULE) ??
    (isByParent ? null : refusePastPivot(change, { to: -1, verb: RULE.verb, isWhole: true }));
  if (verdict !== null) return verdict;
  change.note(RULE.kind, { actor: by, message: reason });
  turnScope(change, TASK, { why: 'requested', by, message: `undone by ${by}: ${reason}` });
  const pivot = pivotsOfTask(change).at(-1);
  if (pivot !== undefined) callPastPivot(change, pivot);
  advance(change);
  return APPLIED;
}

function callPastPivot(change: Change, pivot: number): void {
  const what = `it is past step ${nameAt(change, pivot)}, which is a point of no return`;
  const how = 'undo by hand what has to be undone, and terminate the task';
  failRollback(change, rollbackOf(pivot), `${what}: ${how}`);
}
