import type { ActionRef } from './event.js';
import { graphOf } from './graph.js';
import type { JsonObject, JsonValue } from './json.js';
import type { Task } from './task.js';

/** Who wrote a parameter: the request, the flow's constants, or the output of a step, by name. */
export type Writer =
  | { readonly kind: 'request' }
  | { readonly kind: 'flow' }
  | { readonly kind: 'step'; readonly step: string };

/** One layer of parameters with its writer; later layers win. */
export interface ParameterLayer {
  readonly writer: Writer;
  readonly values: JsonObject;
}

/**
 * What an action's parameters are made of: the request, the outputs of everything its step needs,
 * and the flow's constants for it. A rollback also sees its own step's output. It depends on the
 * graph alone, never on which of two parallel steps was faster, so every attempt sees the same.
 */
export function parameterLayers(task: Task, ref: ActionRef): readonly ParameterLayer[] {
  const { steps, parameters } = task.plan;
  const layers: ParameterLayer[] = [{ writer: { kind: 'request' }, values: parameters }];
  const addOutput = (index: number): void => {
    const values = task.runs[index]?.normal.output;
    const step = steps[index]?.name ?? '';
    if (values) layers.push({ writer: { kind: 'step', step }, values });
  };
  for (const index of graphOf(steps).ancestors[ref.step] ?? []) addOutput(index);
  if (ref.direction !== 'normal') addOutput(ref.step);
  const plan = steps[ref.step];
  const constants = (ref.direction === 'normal' ? plan?.normal : plan?.rollback)?.parameters;
  if (constants) layers.push({ writer: { kind: 'flow' }, values: constants });
  return layers;
}

/** The parameters of an action, merged by key; a key named `__proto__` stays a key. */
export function parametersFor(task: Task, ref: ActionRef): JsonObject {
  const layers = parameterLayers(task, ref);
  const only = layers[0];
  return layers.length === 1 && only ? only.values : mergeParameters(layers.map((l) => l.values));
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
