import type { Change } from '../change/change.js';
import { actionAsks, askedOf } from '../task/question.js';
import type { StepPlan } from '../flow/flow.js';
import type { Task } from '../task/task.js';
import { firstPlace, scopeAt, stepAt, stepsIn } from '../scopes/step-at.js';
import { rollbackOf } from '../task/action-ref.js';
import { FlowProgram } from '../flow/program.js';
import { endUndo } from './holder-back.js';
import { hasLocks } from './lock-gate.js';
import { waitsToBeForgiven } from '../task/action-run.js';

/** Whether constants of the rollback of the step at a place are expressions. */
export function hasUndoTemplate(task: Pick<Task, 'plan' | 'scopes'>, place: number): boolean {
  const scope = scopeAt(task, place);
  const known = FlowProgram.of(stepsIn(task, scope)).kept(undoTemplates);
  return known[place - firstPlace(task, scope)] ?? false;
}

function undoTemplates(steps: readonly StepPlan[]): readonly boolean[] {
  return steps.map(({ rollback }) => {
    return rollback ? askedOf(actionAsks(rollback)).members !== null : false;
  });
}

/** Queues the rollback of a step; first its constants are asked about, if they are expressions. */
export function queueUndo(change: Change, place: number): void {
  const ref = rollbackOf(place);
  const run = change.run(ref);
  if (run === null) return;
  if (run.values === null && hasUndoTemplate(change, place)) change.ask(ref, run);
  else change.queue(ref, run);
}

/** Has the rollback of a step done; one that has none is undone at once. */
export function undoAction(change: Change, place: number): void {
  if (stepAt(change, place)?.rollback) queueUndo(change, place);
  else endUndo(change, place);
}

/**
 * Has a step undone that failed and is to be caught or passed over, unless that was begun. It waits
 * for locks that were let go of as the task was about to end.
 */
export function undoForgiven(change: Change, place: number): void {
  const both = change.runs[place];
  if (both === undefined || !waitsToBeForgiven(both) || !hasLocks(change, place)) return;
  queueUndo(change, place);
}
