import { earlyEnd } from './early-end.js';
import type { ActionRef } from './event.js';
import type { Action, StepPlan } from './flow.js';
import { ancestorsOf, graphOf } from './graph.js';
import type { JsonObject, JsonValue } from './json.js';
import { firstPlace, scopeAt, scopeBelow, scopesOf, stepAt, stepsIn, TASK } from './places.js';
import { listNameOf, runIdOf } from './run-id.js';
import { hasOutput, isPassed } from './tally.js';
import type { Scope } from './scope.js';
import type { ActionRun, Task } from './task.js';

/**
 * Who wrote a parameter: the request, the constants of the flow or of one action of it, the output
 * of a step, by name, what a scope begins with, or a person who changed it while the task was under
 * way.
 */
export type Writer =
  | { readonly kind: 'request' }
  | { readonly kind: 'constant' }
  | { readonly kind: 'scope' }
  | { readonly kind: 'person'; readonly actor: string }
  | { readonly kind: 'flow' }
  | { readonly kind: 'step'; readonly step: string };

/** One layer of parameters with its writer; later layers win. */
export interface ParameterLayer {
  readonly writer: Writer;
  readonly values: JsonObject;
  /** Place of the step that wrote it; absent: no step did. */
  readonly place?: number;
  /** When a person wrote it, in milliseconds since 1970; absent: no person did. */
  readonly at?: number;
}

/** What a step gave back, as the steps after it see it. */
interface Result {
  readonly place: number;
  /** Null: it is what the scope around began with. */
  readonly step: StepPlan | null;
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
  const layers = layersBefore(task, ref.step);
  const addConstants = (action: Action | null | undefined, run: ActionRun | null): void => {
    const values = run?.values ?? action?.parameters;
    if (values) layers.push({ writer: { kind: 'flow' }, values });
  };
  const plan = stepAt(task, ref.step);
  const { normal = null, rollback = null } = task.runs[ref.step] ?? {};
  if (plan?.normal !== undefined) addConstants(plan.normal, normal);
  if (ref.direction === 'normal') return layers;
  for (const result of resultAt(task, ref.step)) layers.push(layerOf(result));
  addConstants(plan?.rollback, rollback);
  return layers;
}

/** What everything at a place sees: all but the constants of its own action. */
function layersBefore(task: Task, place: number): ParameterLayer[] {
  const { constants, parameters } = task.plan;
  const layers: ParameterLayer[] = [];
  if (constants !== null) layers.push({ writer: { kind: 'constant' }, values: constants });
  layers.push({ writer: { kind: 'request' }, values: parameters });
  const results = resultsBefore(task, place);
  if (task.edits.length === 0) for (const result of results) layers.push(layerOf(result));
  else layers.push(...withEdits(task, results, editsSeen(task, place)));
  return layers;
}

/**
 * The parameters as they stand where a step is, and what its way back sees: its own output on top.
 */
export function parametersAt(task: Task, { direction, step }: ActionRef): JsonObject {
  const layers = layersBefore(task, step).map(({ values }) => values);
  const rounds = resultsOfRounds(task, step, Infinity);
  const own = direction === 'normal' ? rounds : resultAt(task, step);
  return mergeParameters([...layers, ...own.map(valuesOf)]);
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
    const found = edit === seen ? undefined : task.edits[edit];
    if (found === undefined) continue;
    const { actor, at, values } = found;
    layers.push({ writer: { kind: 'person', actor }, values, at });
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
  if (task.scopes.length === 0 && !hasOutput(task)) return NO_RESULTS;
  const scope = scopeAt(task, place);
  const below = scopeBelow(task, scope);
  const found = below === null ? [] : resultsAround(task, below);
  const first = firstPlace(task, scope);
  for (const index of ancestorsOf(stepsIn(task, scope), place - first)) {
    for (const result of resultAt(task, first + index)) found.push(result);
  }
  return found;
}

/** What all steps of a scope see: what its holder sees, and of a round the rounds before it. */
function resultsAround(task: Task, scope: Scope): Result[] {
  const { holder, kind, round, values } = scope;
  const found = [...resultsBefore(task, holder)];
  if (kind === 'round') found.push(...resultsOfRounds(task, holder, round));
  if (values !== null) found.push({ place: holder, step: null, output: values });
  return found;
}

/** What the rounds of a step gave back that are done, up to one of them. */
function resultsOfRounds(task: Task, holder: number, end: number): Result[] {
  return scopesOf(task, holder).flatMap((number) => {
    const before = task.scopes[number];
    const isDone = before?.kind === 'round' && before.stage === 'done' && before.round < end;
    return isDone ? resultsIn(task, number) : [];
  });
}

/** What the steps of a scope gave back, in the order in which they follow each other. */
function resultsIn(task: Pick<Task, 'plan' | 'runs' | 'scopes'>, scope: number): Result[] {
  const first = firstPlace(task, scope);
  const { order } = graphOf(stepsIn(task, scope));
  return order.flatMap((index) => resultAt(task, first + index));
}

/** What the step at a place gave back, if it did. What ends a task early gives to no other step. */
function resultAt(task: Pick<Task, 'plan' | 'runs' | 'scopes'>, place: number): readonly Result[] {
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

function layerOf(result: Result): ParameterLayer {
  const { place, step } = result;
  if (step === null) return { writer: { kind: 'scope' }, values: valuesOf(result) };
  return { writer: { kind: 'step', step: step.name }, values: valuesOf(result), place };
}

/** What a command or a `set` gave is merged by name; anything else is under its step's name. */
function valuesOf({ output, step }: Result): JsonObject {
  const isMerged = step === null || step.normal !== undefined || step.set !== undefined;
  return isMerged ? output : { [step.name]: output };
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
  const rounds = resultsOfRounds(task, ref.step, Infinity);
  const own = ref.direction === 'normal' ? rounds : resultAt(task, ref.step);
  const results = [...resultsBefore(task, ref.step), ...own];
  const named = results.filter(({ step }) => step !== null);
  return Object.fromEntries(named.map(({ output, step }) => [step?.name ?? '', output]));
}

/**
 * The parameters of a task as they stand now: the request, the outputs of the steps that have
 * are done so far, each after those it needs, and what persons have changed. Constants belong to
 * their action alone.
 */
export function mergedParameters(task: Task): JsonObject {
  const { constants, parameters: sent } = task.plan;
  const parameters = constants === null ? sent : mergeParameters([constants, sent]);
  const results = resultsOfTask(task);
  if (results.length === 0 && task.edits.length === 0) return parameters;
  const layers = withEdits(task, results, task.edits.length);
  return mergeParameters([parameters, ...layers.map(({ values }) => values)]);
}

/** What the parameters of a task are made of as they stand now; later layers win. */
export function taskLayers(task: Task): readonly ParameterLayer[] {
  const { constants, parameters } = task.plan;
  const layers: ParameterLayer[] = [];
  if (constants !== null) layers.push({ writer: { kind: 'constant' }, values: constants });
  layers.push({ writer: { kind: 'request' }, values: parameters });
  return [...layers, ...withEdits(task, resultsOfTask(task), task.edits.length)];
}

/** What the task's own steps gave back that are done, each after those it needs. */
function resultsOfTask(task: Task): readonly Result[] {
  const results: Result[] = [];
  for (const index of graphOf(task.plan.steps).order) {
    if (!isPassed(task.runs[index]?.normal.state ?? 'pending')) continue;
    for (const result of resultAt(task, index)) results.push(result);
  }
  return results;
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

/** For each parameter of an action, who wrote the value it has. */
export function parameterWriters(task: Task, ref: ActionRef): Readonly<Record<string, Writer>> {
  const writers: [string, Writer][] = [];
  for (const { writer, values } of parameterLayers(task, ref)) {
    for (const key of Object.keys(values)) writers.push([key, writer]);
  }
  return Object.fromEntries(writers);
}
