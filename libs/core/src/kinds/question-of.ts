import { runOf } from '../scopes/dispatch.js';
import { rulesOf } from './table.js';
import { firstPlace, type Placed, scopeAt, stepAt, stepsIn } from '../scopes/step-at.js';
import {
  actionAsks,
  type Asked,
  askedOf,
  type AskedQuestion,
  type QuestionMember,
} from '../task/question.js';
import { hasUndoTemplate } from '../moves/undo.js';
import type { Task } from '../task/task.js';
import type { ActionRef } from '../task/action-ref.js';
import { heldBy } from '../scopes/scope-index.js';
import { runIdOf } from '../scopes/run-id.js';
import { sceneOf } from '../values/scene.js';
import type { StepPlan } from '../flow/flow.js';
import { FlowProgram } from '../flow/program.js';

/** The parts of a task from which its questions follow. */
type Asking = Placed;

/**
 * The members whose values must be known before a queued or running action can go on; null: there
 * are none.
 */
function membersAsked(task: Asking, ref: ActionRef): readonly QuestionMember[] | null {
  const run = runOf(task, ref);
  const step = stepAt(task, ref.step);
  if (run === null || step === undefined) return null;
  if (ref.direction === 'rollback') {
    const { rollback } = step;
    const isAsked =
      run.state === 'queued' && run.values === null && hasUndoTemplate(task, ref.step);
    return isAsked && rollback ? actionAsks(rollback) : null;
  }
  const rules = rulesOf(step);
  if (run.state === 'running') return rules.holds?.asksOn?.(task, ref.step) ?? null;
  // A command keeps its answers in `values`; any other step starts with them at once.
  if (run.state !== 'queued' || (step.normal !== undefined && run.values !== null)) return null;
  return entryAsks(task, ref.step).members;
}

/** Whether an action waits for what the templates of its step come to. */
export function isAsking(task: Asking, ref: ActionRef): boolean {
  return membersAsked(task, ref) !== null;
}

/** The question to answer before a task can go on at an action; null: there is none. */
export function questionOf(task: Task, ref: ActionRef): AskedQuestion | null {
  const members = membersAsked(task, ref);
  if (members === null) return null;
  return { ref, id: questionId(task, ref), members, scene: sceneOf(task, ref) };
}

/** Another one for each start of a step, and after each round of it. */
export function questionId(task: Task, ref: ActionRef): string {
  const both = task.runs[ref.step];
  const run = ref.direction === 'normal' ? both?.normal : both?.rollback;
  const { entered: rounds } = heldBy(task, ref.step);
  return `${ref.direction} ${runIdOf(task, ref.step)} ${run?.attempts ?? 0} ${rounds}`;
}

/** The members that the step at a place asks for before it starts, its `if` first. */
export function entryAsks(task: Pick<Task, 'plan' | 'scopes'>, place: number): Asked {
  const scope = scopeAt(task, place);
  const position = place - firstPlace(task, scope);
  const steps = stepsIn(task, scope);
  const known = FlowProgram.of(steps).kept(nothingAsked);
  return (known[position] ??= entryOf(steps[position]));
}

function nothingAsked(): (Asked | undefined)[] {
  return [];
}

function entryOf(step: StepPlan | undefined): Asked {
  if (step === undefined) return askedOf([]);
  const gate: QuestionMember[] =
    step.if === undefined ? [] : [{ name: 'if', template: step.if, as: 'gate' }];
  return askedOf([...gate, ...rulesOf(step).asks(step)]);
}
