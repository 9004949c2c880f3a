import { invariant } from '../assert.js';
import type { Change } from '../change/change.js';
import { callOffHolder, undoHolder } from '../moves/holder-back.js';
import { enterFurther } from '../moves/further-round.js';
import type { StepKind } from '../kinds/kind.js';
import { rulesOf } from '../kinds/table.js';
import { hasLocks } from '../moves/lock-gate.js';
import { stepAt } from '../scopes/step-at.js';
import { branchToUndo } from '../scopes/waiting-branches.js';
import type { AnswerValues } from '../task/question.js';
import { isCaught } from '../moves/recover.js';
import { nameAt, runAt, turnScope } from '../moves/scope-change.js';
import { normalOf } from '../task/action-ref.js';
import { entryAsks } from '../kinds/question-of.js';

/** How a step is called off and undone: by its kind, or, once it was caught, by what caught it. */
export function rulesAt(change: Change, place: number): Pick<StepKind, 'callOff' | 'undo'> {
  const step = stepAt(change, place);
  invariant(step !== undefined, `there is no step ${place}`);
  return step.catch !== undefined && isCaught(change, place) ? CAUGHT : rulesOf(step);
}

const CAUGHT = { callOff: callOffHolder, undo: undoHolder };

/**
 * Enters a step whose needs are done. Once it has the locks that it asks for, it starts, or asks
 * for the values of its templates; one of which child tasks stand begins others of these again.
 */
export function enterStep(change: Change, place: number): void {
  const step = stepAt(change, place);
  invariant(step !== undefined, `there is no step ${place}`);
  if (step.pivot === true && callsOffBranch(change, place)) return;
  if (!hasLocks(change, place)) return;
  if (step.foreach !== undefined && enterFurther(change, place)) return;
  const rules = rulesOf(step);
  const { members, values } = entryAsks(change, place);
  if (members !== null) change.ask(normalOf(place), runAt(change, normalOf(place)));
  else if (values['if'] === false) passOver(change, place);
  else rules.start(change, place, values);
}

/** No point of no return is passed in what is undone anyway: the branch goes back before it. */
function callsOffBranch(change: Change, place: number): boolean {
  const branch = branchToUndo(change, place);
  if (branch === null) return false;
  const message = `called off before ${nameAt(change, place)}: another branch failed`;
  turnScope(change, branch, { why: 'called_off', message });
  return true;
}

/** Goes on with a step whose template values are known: it starts, or its `if` passes it over. */
export function admitStep(change: Change, place: number, values: AnswerValues): void {
  const step = stepAt(change, place);
  if (values['if'] === false) passOver(change, place);
  else if (step !== undefined) rulesOf(step).start(change, place, values);
}

function passOver(change: Change, place: number): void {
  const ref = normalOf(place);
  change.end(ref, runAt(change, ref), 'skipped');
  change.noteRun('passed_over', ref, { message: 'its `if` is false' });
}
