import type { ActionRef } from './event.js';
import type { Action, StepPlan } from './flow.js';
import { ancestorsOf, graphOf } from './graph.js';
import type { JsonObject, JsonValue } from './json.js';
import { firstPlace, scopeAt, scopeBelow, scopeOf, stepAt, stepsIn } from './places.js';
import { runIdOf } from './run-id.js';
import { hasOutput, isPassed } from './tally.js';
import type { Task } from './task.js';

/**
 * Who wrote a parameter: the request, the flow's constants, the output of a step, by name, or a
 * person who changed it while the task was under way.
 */
export type Writer =
  | { readonly kind: 'request' }
  | { readonly kind: 'person'; readonly actor: string }
  | { readonly kind: 'flow' }
  | { readonly kind: 'step'; readonly step: string };

/** One layer of parameters with its writer; later layers win. */
export interface ParameterLayer {
  readonly writer: Writer;
  readonly values: JsonObject;
}

/** What a step gave back, as the steps after it see it. */
interface Result {
  readonly place: number;
  readonly step: StepPlan;
  readonly output: JsonObject;
}

/**
 * What an action's parameters are made of: the request, the outputs of everything its step needs
 * and of what the steps around it need, and the flow's constants for it. A rollback is given what
 * its step's normal action was given, its constants included, then what that gave back, then
 * constants of its own. What a person changed wins over what was there before, and not over what
 * came after; runs that had begun do not see it. It depends on the graph and on persons alone,
 * never on which of two parallel steps was faster, so every attempt sees the same.
 */
export function parameterLayers(task: Task, ref: ActionRef): readonly ParameterLayer[] {
  const layers: ParameterLayer[] = [{ writer: { kind: 'request' }, values: task.plan.parameters }];
  const addConstants = (action: Action | null | undefined): void => {
    const values = action?.parameters;
    if (values) layers.push({ writer: { kind: 'flow' }, values });
  };
  const plan = stepAt(task, ref.step);
  const results = resultsBefore(task, ref.step);
  if (task.edits.length === 0) for (const result of results) layers.push(layerOf(result));
  else layers.push(...withEdits(task, results, editsSeen(task, ref.step)));
  addConstants(plan?.normal);
  if (ref.direction === 'normal') return layers;
  for (const result of resultAt(task, ref.step)) layers.push(layerOf(result));
  addConstants(plan?.rollback);
  return layers;
}

/** Outputs of runs that had begun before an edit come before it, the others after it. */
function withEdits(
  task: Task,
  results: readonly Result[],
  seen: number,
): readonly ParameterLayer[] {
  const since = results.map(({ place }) => editsSeen(task, place));
  const layers: ParameterLayer[] = [];
  for (let edit = 0; edit <= seen; edit += 1) {
    for (const [n, result] of results.entries())
      if (since[n] === edit) layers.push(layerOf(result));
    const { actor, values } = task.edits[edit] ?? {};
    if (edit === seen || actor === undefined || values === undefined) continue;
    layers.push({ writer: { kind: 'person', actor }, values });
  }
  return layers;
}

/** How many edits the run at a place sees: it saw none of those that came after it began. */
function editsSeen(task: Task, place: number): number {
  const id = runIdOf(task, place);
  const first = task.edits.findIndex(({ unseenBy }) => unseenBy.includes(id));
  return first < 0 ? task.edits.length : first;
}

const NO_RESULTS: readonly Result[] = Object.freeze([]);

/** What a step sees of the steps before it: those of the scopes around it, then of its own. */
function resultsBefore(task: Task, place: number): readonly Result[] {
  if (!hasOutput(task)) return NO_RESULTS;
  const scope = scopeAt(task, place);
  const below = scopeBelow(task, scope);
  const found = below === null ? [] : [...resultsBefore(task, below.holder)];
  const first = firstPlace(task, scope);
  for (const index of ancestorsOf(stepsIn(task, scope), place - first)) {
    for (const result of resultAt(task, first + index)) found.push(result);
  }
  return found;
}

/** What the step at a place gave back, if it did. */
function resultAt(task: Task, place: number): readonly Result[] {
  const step = stepAt(task, place);
  const output = outputAt(task, place);
  return step === undefined || output === null ? NO_RESULTS : [{ place, step, output }];
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
  // Of a step that a person passed over, it is what that person gave.
  const isGiven = normal?.state === 'skipped' || stepAt(task, place)?.group === undefined;
  if (normal === undefined || isGiven) return normal?.output ?? null;
  const scope = normal.state === 'succeeded' ? scopeOf(task, place) : null;
  if (scope === null) return null;
  const steps = stepsIn(task, scope);
  const first = firstPlace(task, scope);
  const outputs = graphOf(steps).order.flatMap((index) => {
    const step = steps[index];
    const output = outputAt(task, first + index);
    return step === undefined || output === null
      ? []
      : [valuesOf({ place: first + index, step, output })];
  });
  return mergeParameters(outputs);
}

function layerOf(result: Result): ParameterLayer {
  return { writer: { kind: 'step', step: result.step.name }, values: valuesOf(result) };
}

/** Outside, a step that holds steps is seen under its own name alone. */
function valuesOf({ output, step }: Result): JsonObject {
  return step.group === undefined ? output : { [step.name]: output };
}

/** The parameters of an action, merged by key; a key named `__proto__` stays a key. */
export function parametersFor(task: Task, ref: ActionRef): JsonObject {
  const layers = parameterLayers(task, ref);
  const only = layers[0];
  return layers.length === 1 && only ? only.values : mergeParameters(layers.map((l) => l.values));
}

/**
 * What the steps that an action's step needs have given back, by their names; for a rollback its
 * own step's as well. Unlike the merged parameters, nothing in it can come from the request.
 */
export function resultsFor(task: Task, ref: ActionRef): Readonly<Record<string, JsonObject>> {
  const own = ref.direction === 'normal' ? NO_RESULTS : resultAt(task, ref.step);
  const results = [...resultsBefore(task, ref.step), ...own];
  return Object.fromEntries(results.map(({ output, step }) => [step.name, output]));
}

/**
 * The parameters of a task as they stand now: the request, the outputs of the steps that have
 * are done so far, each after those it needs, and what persons have changed. Constants belong to
 * their action alone.
 */
export function mergedParameters(task: Task): JsonObject {
  const { steps, parameters } = task.plan;
  const results: Result[] = [];
  for (const index of graphOf(steps).order) {
    if (!isPassed(task.runs[index]?.normal.state ?? 'pending')) continue;
    for (const result of resultAt(task, index)) results.push(result);
  }
  if (results.length === 0 && task.edits.length === 0) return parameters;
  const layers = withEdits(task, results, task.edits.length);
  return mergeParameters([parameters, ...layers.map(({ values }) => values)]);
}

/** Merges objects by key; later ones win. */
export function mergeParameters(objects: readonly JsonObject[]): JsonObject {
  const entries: [string, JsonValue | undefined][] = [];
  for (const object of objects) entries.push(...Object.entries(object));
  // fromEntries defines members, so that no key can reach a prototype.
  return Object.fromEntries(entries);
}

/** For each parameter of an action, who wrote the value it has. */
export function parameterWriters(task: Task, ref: ActionRef): Readonly<Record<string, Writer>> {
  const writers: [string, Writer][] = [];
  for (const { writer, values } of parameterLayers(task, ref)) {
    for (const key of Object.keys(values)) writers.push([key, writer]);
  }
  return Object.fromEntries(writers);
}
