import { earlyEnd } from './early-end.js';
import type { StepPlan } from './flow.js';
import { graphOf } from './graph.js';
import type { JsonObject, JsonValue } from './json.js';
import { firstPlace, scopesOf, stepAt, stepsIn, TASK } from './places.js';
import { listNameOf } from './run-id.js';
import type { Scope } from './scope.js';
import type { ActionRun, Task } from './task.js';

/** What a step gave back, as the steps after it see it. */
export interface Result {
  readonly place: number;
  /** Null: it is what the scope around began with. */
  readonly step: StepPlan | null;
  readonly output: JsonObject;
}

/** A step gave nothing so far. */
export const NO_RESULTS: readonly Result[] = Object.freeze([]);

/** What the steps of a scope gave back, in the order in which they follow each other. */
export function resultsIn(task: Pick<Task, 'plan' | 'runs' | 'scopes'>, scope: number): Result[] {
  const first = firstPlace(task, scope);
  const { order } = graphOf(stepsIn(task, scope));
  return order.flatMap((index) => resultAt(task, first + index));
}

/** What the step at a place gave back, if it did. What ends a task early gives to no other step. */
export function resultAt(
  task: Pick<Task, 'plan' | 'runs' | 'scopes'>,
  place: number,
): readonly Result[] {
  const step = stepAt(task, place);
  if (step === undefined || step.succeed !== undefined) return NO_RESULTS;
  const output = outputAt(task, place);
  return output === null ? NO_RESULTS : [{ place, step, output }];
}

/**
 * What the step at a place gave back; null: nothing so far. A step that holds steps gives what they
 * gave. That is not stored twice: its steps stay as they are for as long as anybody may see it.
 */
export function outputAt(
  task: Pick<Task, 'plan' | 'runs' | 'scopes'>,
  place: number,
): JsonObject | null {
  const { normal } = task.runs[place] ?? {};
  const step = stepAt(task, place);
  if (normal === undefined || step === undefined) return null;
  const [scope] = scopesOf(task, place);
  // Of a step that a person passed over, it is what that person gave.
  if (normal.state === 'skipped' || scope === undefined) return ownOutput(step, normal);
  return normal.state === 'succeeded' ? outputOfScopes(task, place, step) : null;
}

/** Of a choice of which no case was taken, that there was none. */
function ownOutput(step: StepPlan, { output, state }: ActionRun): JsonObject | null {
  return output === null && step.choice !== undefined && state === 'succeeded' ? NO_CASE : output;
}

const NO_CASE: JsonObject = Object.freeze({ case: null });

function outputOfScopes(
  task: Pick<Task, 'plan' | 'runs' | 'scopes'>,
  place: number,
  step: StepPlan,
): JsonObject {
  const numbers = scopesOf(task, place);
  const caught = numbers.find((scope) => task.scopes[scope]?.kind === 'catch');
  const done = numbers.filter((scope) => task.scopes[scope]?.stage !== 'clean');
  if (caught !== undefined) return outputOf(task, caught);
  if (step.foreach !== undefined || step.flow !== undefined) {
    return task.runs[place]?.normal.output ?? {};
  }
  if (step.parallel !== undefined) {
    const named = done.map((n) => [listNameOf(task, task.scopes[n] as Scope), outputOf(task, n)]);
    return Object.fromEntries(named) as JsonObject;
  }
  const last = done.reduce<number | null>((found, n) => {
    const isLater = (task.scopes[n]?.round ?? 0) > (task.scopes[found ?? -1]?.round ?? 0);
    return isLater ? n : found;
  }, null);
  const inner = last === null ? {} : outputOf(task, last);
  if (step.loop !== undefined) return { rounds: done.length, ...inner };
  if (step.choice === undefined || last === null) return inner;
  return { case: listNameOf(task, task.scopes[last] as Scope), ...inner };
}

function outputOf(task: Pick<Task, 'plan' | 'runs' | 'scopes'>, scope: number): JsonObject {
  return mergeParameters(resultsIn(task, scope).map(valuesOf));
}

/** What a command or a `set` gave is merged by name; anything else is under its step's name. */
export function valuesOf({ output, step }: Result): JsonObject {
  const isMerged = step === null || step.normal !== undefined || step.set !== undefined;
  return isMerged ? output : { [step.name]: output };
}

/** What a task that ended early gives; null: nothing. */
export function taskOutput(task: Task): JsonValue {
  const place = task.outcome === 'succeeded' ? earlyEnd(task) : null;
  return place === null ? null : (task.runs[place]?.normal.output?.['output'] ?? null);
}

/**
 * What a child task gave its parent: its output, and of one that runs steps of its parent's flow
 * what these gave, as any list of steps does.
 */
export function childOutput(task: Task): JsonValue {
  const place = task.outcome === 'succeeded' ? earlyEnd(task) : null;
  if (place !== null || task.plan.parent?.isPart !== true) return taskOutput(task);
  return task.outcome === 'succeeded' ? outputOf(task, TASK) : null;
}

/** Merges objects by key; later ones win. */
export function mergeParameters(objects: readonly JsonObject[]): JsonObject {
  const entries: [string, JsonValue | undefined][] = [];
  for (const object of objects) entries.push(...Object.entries(object));
  // fromEntries defines members, so that no key can reach a prototype.
  return Object.fromEntries(entries);
}
