import type { Action } from '../flow/action.js';
import { ancestorsOf, graphOf } from '../flow/program.js';
import { type JsonObject, mergeParameters } from '../json/json.js';
import { hasNamedOutput, isHttpRequest } from '../flow/named-output.js';
import { mayGiveUnsaid, NO_RESULTS, resultAt, valuesOf } from './outputs.js';
import { firstPlace, scopeAt, scopeBelow, stepAt, stepsIn } from '../scopes/step-at.js';
import { resultsOfRounds } from './round-results.js';
import { actionId, runIdOf } from '../scopes/run-id.js';
import { hasOutput, isPassed } from '../scopes/task-index.js';
import type { Scope } from '../task/scope.js';
import type { Edit, Task } from '../task/task.js';
import { type ActionRef, normalOf } from '../task/action-ref.js';
import type { ActionRun } from '../task/action-run.js';
import type { Result } from '../task/task-index.js';

/**
 * The origin of a parameter: the request, the constants of the flow or of one action of it, the
 * output of a step, by name, the values that a scope begins with, or a person who changed it while
 * the task was under way.
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

/**
 * The layers of an action's parameters: the request, the outputs of everything its step needs and
 * of everything the steps around it need, and the flow's constants for it. A rollback gets the
 * layers of its step's normal action, its constants included, then that action's output, then its
 * own constants. A person's change wins over earlier layers and loses to later ones, but in the
 * actions that were retried with it it wins over all; runs that had begun do not see it. A request
 * over HTTP gets no output that stands under the name of a step: it would be sent. The layers
 * depend on the graph and on persons alone, never on which of two parallel steps was faster, so
 * every attempt sees the same.
 */
export function parameterLayers(task: Task, ref: ActionRef): readonly ParameterLayer[] {
  const layers = layersBefore(task, ref.step);
  const step = stepAt(task, ref.step);
  const { rollback = null } = task.runs[ref.step] ?? {};
  layers.push(...ownLayers(task, ref.step), ...winningLayers(task, normalOf(ref.step)));
  if (ref.direction === 'normal') return fitLayers(task, step?.normal, layers);
  for (const result of resultAt(task, ref.step)) layers.push(layerOf(result));
  layers.push(...constantLayers(step?.rollback, rollback), ...winningLayers(task, ref));
  return fitLayers(task, step?.rollback, layers);
}

/** The constants of a step's normal action. */
function ownLayers(task: Task, place: number): readonly ParameterLayer[] {
  return constantLayers(stepAt(task, place)?.normal, task.runs[place]?.normal ?? null);
}

function constantLayers(
  action: Action | null | undefined,
  run: ActionRun | null,
): readonly ParameterLayer[] {
  const values = run?.values ?? action?.parameters ?? null;
  return values === null ? [] : [{ writer: { kind: 'flow' }, values }];
}

/** The changes of persons with which an action was retried. */
function winningLayers(task: Task, ref: ActionRef): readonly ParameterLayer[] {
  if (task.edits.length === 0) return [];
  const action = actionId(ref.direction, runIdOf(task, ref.step));
  return task.edits.filter(({ winsIn }) => winsIn.includes(action)).map(editLayer);
}

/** The layers that the command of an action may see. */
function fitLayers(
  task: Task,
  action: Action | null | undefined,
  layers: readonly ParameterLayer[],
): readonly ParameterLayer[] {
  if (!action || !isHttpRequest(action)) return layers;
  return layers.filter(({ place }) => {
    const step = place === undefined ? undefined : stepAt(task, place);
    return step === undefined || !hasNamedOutput(step);
  });
}

/** The layers that everything at a place sees: all but the constants of its own action. */
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
 * The parameters as they stand where a step is. The way back also sees the output of its step, and
 * those constants of the normal action whose names stand for nothing else: an expression that is
 * written in both actions has the same value in both. A person's retry wins over all of them.
 */
export function parametersAt(task: Task, ref: ActionRef): JsonObject {
  const { direction, step } = ref;
  const isBack = direction === 'rollback';
  const layers = layersBefore(task, step);
  if (isBack) {
    layers.unshift(...ownLayers(task, step));
    layers.push(...winningLayers(task, normalOf(step)));
  }
  const own = isBack ? resultAt(task, step) : resultsOfRounds(task, step, Infinity);
  layers.push(...own.map(layerOf), ...winningLayers(task, ref));
  return mergeParameters(layers.map(({ values }) => values));
}

/**
 * Outputs of runs that had begun before an edit come before it, the others after it. A step whose
 * child tasks are begun again with an edit keeps its run, and what was done with its former output
 * is undone with it.
 */
function withEdits(
  task: Task,
  results: readonly Result[],
  seen: number,
): readonly ParameterLayer[] {
  const since = results.map(({ place }) => Math.min(editsSeen(task, place), seen));
  const layers: ParameterLayer[] = [];
  for (let edit = 0; edit <= seen; edit += 1) {
    for (const [n, result] of results.entries())
      if (since[n] === edit) layers.push(layerOf(result));
    const found = edit === seen ? undefined : task.edits[edit];
    if (found !== undefined) layers.push(editLayer(found));
  }
  return layers;
}

function editLayer({ actor, at, values }: Edit): ParameterLayer {
  return { writer: { kind: 'person', actor }, values, at };
}

/** How many edits the run at a place sees: it saw none of those that came after it began. */
function editsSeen(task: Task, place: number): number {
  const id = runIdOf(task, place);
  const first = task.edits.findIndex(({ unseenBy }) => unseenBy.includes(id));
  return first < 0 ? task.edits.length : first;
}

/**
 * The outputs of earlier steps that a step sees: those of the scopes around it, then of its own.
 */
function resultsBefore(task: Task, place: number): readonly Result[] {
  if (task.scopes.length === 0 && givesNothing(task)) return NO_RESULTS;
  const scope = scopeAt(task, place);
  const below = scopeBelow(task, scope);
  const found = below === null ? [] : resultsAround(task, below);
  const first = firstPlace(task, scope);
  for (const index of ancestorsOf(stepsIn(task, scope), place - first)) {
    for (const result of resultAt(task, first + index)) found.push(result);
  }
  return found;
}

/** Whether no step of a task without scopes has given anything: a quick look at few of them. */
function givesNothing(task: Task): boolean {
  return !hasOutput(task) && !mayGiveUnsaid(task.plan.steps);
}

/**
 * The outputs that all steps of a scope see: those that its holder sees, in a round also those of
 * the rounds before it, and, except in a dynamic scope, the values that the scope began with.
 */
function resultsAround(task: Task, scope: Scope): Result[] {
  const { holder, kind, round, values } = scope;
  const found = [...resultsBefore(task, holder)];
  if (kind === 'round') found.push(...resultsOfRounds(task, holder, round));
  const isSeen = kind !== 'dynamic' && values !== null;
  if (isSeen) found.push({ place: holder, step: null, output: values });
  return found;
}

function layerOf(result: Result): ParameterLayer {
  const { place, step } = result;
  if (step === null) return { writer: { kind: 'scope' }, values: valuesOf(result) };
  return { writer: { kind: 'step', step: step.name }, values: valuesOf(result), place };
}

/** The parameters of an action, merged by key; a key named `__proto__` stays a key. */
export function parametersFor(task: Task, ref: ActionRef): JsonObject {
  const layers = parameterLayers(task, ref);
  const only = layers[0];
  return layers.length === 1 && only ? only.values : mergeParameters(layers.map((l) => l.values));
}

/**
 * The outputs of the steps that an action's step needs, by their names; for a rollback its own
 * step's as well. Unlike the merged parameters, nothing in it can come from the request.
 */
export function resultsFor(task: Task, ref: ActionRef): Readonly<Record<string, JsonObject>> {
  const rounds = resultsOfRounds(task, ref.step, Infinity);
  const own = ref.direction === 'normal' ? rounds : resultAt(task, ref.step);
  const results = [...resultsBefore(task, ref.step), ...own];
  const named = results.filter(({ step }) => step !== null);
  return Object.fromEntries(named.map(({ output, step }) => [step?.name ?? '', output]));
}

/**
 * The parameters of a task as they stand now: the request, the outputs of the steps that are
 * done so far, each after those it needs, and what persons have changed. Constants belong to
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

/** The layers of a task's parameters as they stand now; later layers win. */
export function taskLayers(task: Task): readonly ParameterLayer[] {
  const { constants, parameters } = task.plan;
  const layers: ParameterLayer[] = [];
  if (constants !== null) layers.push({ writer: { kind: 'constant' }, values: constants });
  layers.push({ writer: { kind: 'request' }, values: parameters });
  return [...layers, ...withEdits(task, resultsOfTask(task), task.edits.length)];
}

/** The outputs of the task's own steps that are done, each after those it needs. */
function resultsOfTask(task: Task): readonly Result[] {
  const results: Result[] = [];
  for (const index of graphOf(task.plan.steps).order) {
    if (!isPassed(task.runs[index]?.normal.state ?? 'pending')) continue;
    for (const result of resultAt(task, index)) results.push(result);
  }
  return results;
}

/** For each parameter of an action, who wrote the value it has. */
export function parameterWriters(task: Task, ref: ActionRef): Readonly<Record<string, Writer>> {
  const writers: [string, Writer][] = [];
  for (const { writer, values } of parameterLayers(task, ref)) {
    for (const key of Object.keys(values)) writers.push([key, writer]);
  }
  return Object.fromEntries(writers);
}
