import { earlyEnd } from '../scopes/early-step.js';
import type { StepPlan } from '../flow/flow.js';
import { countWritten } from '../flow/output-step.js';
import { isParentStep } from '../flow/step-kind.js';
import { FlowProgram, graphOf } from '../flow/program.js';
import { type JsonObject, type JsonValue, mergeParameters } from '../json/json.js';
import { hasNamedOutput } from '../flow/named-output.js';
import { firstPlace, type Placed, stepAt, stepsIn, TASK } from '../scopes/step-at.js';
import { heldBy } from '../scopes/scope-index.js';
import { listNameOf } from '../scopes/run-id.js';
import type { Scope } from '../task/scope.js';
import type { Task } from '../task/task.js';
import type { ActionRun } from '../task/action-run.js';
import type { Result } from '../task/task-index.js';

/** A step gave nothing so far. */
export const NO_RESULTS: readonly Result[] = Object.freeze([]);

/** The outputs of the steps of a scope, in the order of its graph. */
export function resultsIn(task: Placed, scope: number): Result[] {
  const first = firstPlace(task, scope);
  const { order } = graphOf(stepsIn(task, scope));
  return order.flatMap((index) => resultAt(task, first + index));
}

/**
 * The output of the step at a place, if it gave one. A step that ends the task early gives none to
 * other steps.
 */
export function resultAt(task: Placed, place: number): readonly Result[] {
  const step = stepAt(task, place);
  if (step === undefined || step.succeed !== undefined) return NO_RESULTS;
  const output = outputAt(task, place);
  return output === null ? NO_RESULTS : [{ place, step, output }];
}

/**
 * The output of the step at a place; null: none so far. The output of a step that holds steps is
 * made of theirs. It is not stored twice: its steps stay as they are for as long as anybody may see
 * it.
 */
export function outputAt(task: Placed, place: number): JsonObject | null {
  const { normal } = task.runs[place] ?? {};
  const step = stepAt(task, place);
  if (normal === undefined || step === undefined) return null;
  // Of a step that a person passed over, it is what that person gave.
  if (normal.state === 'skipped' || heldBy(task, place).entered === 0)
    return ownOutput(step, normal);
  return normal.state === 'succeeded' ? outputOfScopes(task, place, step) : null;
}

/** Of a choice of which no case was taken, that there was none. */
function ownOutput(step: StepPlan, { output, state }: ActionRun): JsonObject | null {
  return output === null && step.choice !== undefined && state === 'succeeded' ? NO_CASE : output;
}

const NO_CASE: JsonObject = Object.freeze({ case: null });

/** Whether a step of a list may have an output that its run does not hold. */
export function mayGiveUnsaid(steps: readonly StepPlan[]): boolean {
  return FlowProgram.of(steps).kept(hasChoice);
}

function hasChoice(steps: readonly StepPlan[]): boolean {
  return steps.some(({ choice }) => choice !== undefined);
}

function outputOfScopes(task: Placed, place: number, step: StepPlan): JsonObject {
  const held = heldBy(task, place);
  const [caught] = held.caught;
  if (caught !== undefined) return outputOf(task, caught);
  if (isParentStep(step)) {
    return task.runs[place]?.normal.output ?? {};
  }
  if (step.parallel !== undefined) {
    const left = [...held.done, ...held.open].sort((a, b) => a - b);
    const named = left.map((n) => [listNameOf(task, task.scopes[n] as Scope), outputOf(task, n)]);
    return Object.fromEntries(named) as JsonObject;
  }
  // One that the end of the task stopped is the last.
  const last = held.open.at(-1) ?? held.done.at(-1);
  const inner = last === undefined ? {} : outputOf(task, last);
  if (step.loop !== undefined) return { rounds: held.done.length + held.open.length, ...inner };
  if (step.choice === undefined || last === undefined) return inner;
  return { case: listNameOf(task, task.scopes[last] as Scope), ...inner };
}

function outputOf(task: Placed, scope: number): JsonObject {
  return mergeParameters(resultsIn(task, scope).map(valuesOf));
}

/**
 * The parameters that an output adds: all of it under its step's name, or its members, as those of
 * what a scope began with.
 */
export function valuesOf({ output, step }: Result): JsonObject {
  return step !== null && hasNamedOutput(step) ? { [step.name]: output } : output;
}

/** The output of a task: of the step that ended it, or by a person in place of its last one. */
export function taskOutput(task: Task): JsonValue {
  if (task.outcome !== 'succeeded') return null;
  const end = earlyEnd(task);
  if (end !== null) return task.runs[end]?.normal.output?.['output'] ?? null;
  const { steps } = task.plan;
  const last = countWritten(steps);
  return last < steps.length ? (task.runs[last]?.normal.output ?? null) : null;
}

/**
 * The output of a child task, for its parent. A child task that runs steps of its parent's flow
 * gives the merged outputs of these steps, as any list of steps does.
 */
export function childOutput(task: Task): JsonValue {
  const place = task.outcome === 'succeeded' ? earlyEnd(task) : null;
  if (place !== null || task.plan.parent?.isPart !== true) return taskOutput(task);
  return task.outcome === 'succeeded' ? outputOf(task, TASK) : null;
}
