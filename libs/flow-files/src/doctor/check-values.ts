import type { Action, JsonValue, StepPlan } from '#core';
import { hasNamedOutput, isHttpRequest } from '#core/flow';
import type { Half } from '../build-action.js';
import { clip } from '../read-json.js';
import type { KnownCommands } from '../known-commands.js';
import type { Examination } from './examination.js';
import { type ListView, memberOf } from './list-view.js';
import { namesWritten, outwards, standingOf, type Viewpoint } from './sight.js';

/** An action of a step, and from where it sees others. */
interface Call {
  readonly action: Action;
  readonly half: Half;
  readonly from: Viewpoint;
  /** Parameters that the flow itself gives the action. */
  readonly own: object;
}

/**
 * Warns of parameters that are the whole output of an earlier step only because both have one name:
 * such an output is an object, and the command takes none there.
 */
export function checkTakenOutputs({ commands, lists, origins, warnings }: Examination): void {
  if (commands === undefined) return;
  for (const list of lists) {
    for (const [position, step] of list.steps.entries()) {
      for (const call of callsOf(step, { list, position, sees: 'before' })) {
        for (const name of takenBy(call, commands)) {
          const command = `\`${clip(call.action.module)}.${clip(call.action.command)}\``;
          const message =
            `${command} takes no object as \`${clip(name)}\`, and step \`${clip(name)}\` before it` +
            ' has its output under this name.';
          const hint =
            'Rename the step, or write the parameter into `parameters` of the action: ' +
            `\`$input.${clip(name)}\` is what the request sent.`;
          const pointer = memberOf(step, origins, call.half);
          warnings.add({ pointer, code: 'OUTPUT_AS_PARAMETER', message, hint });
        }
      }
    }
  }
}

function callsOf({ normal, rollback }: StepPlan, from: Viewpoint): readonly Call[] {
  const forward = normal?.parameters ?? {};
  const back = { ...forward, ...rollback?.parameters };
  return [
    ...(normal === undefined
      ? []
      : [{ action: normal, half: 'normal', from, own: forward } as const]),
    ...(rollback ? [{ action: rollback, half: 'rollback', from, own: back } as const] : []),
  ];
}

/** Parameters that an action takes from the step of the same name and refuses. */
function takenBy({ action, from, half, own }: Call, known: KnownCommands): readonly string[] {
  // A request is not given such outputs.
  if (isHttpRequest(action) || !known.modules().includes(action.module)) return [];
  const schemas = known.schemas?.(action.module, action.command) ?? [];
  const refused = schemas.map((schema) => {
    const members = Object.entries((schema['properties'] ?? {}) as Record<string, JsonValue>);
    const required = (schema['required'] ?? []) as readonly string[];
    // An undo does without what does not fit, unless its command requires it.
    const isRead = (name: string): boolean => half === 'normal' || required.includes(name);
    return members.filter(([name, rules]) => isRead(name) && !takesObject(rules));
  });
  const [first = [], ...others] = refused.map((members) => members.map(([name]) => name));
  return first.filter((name) => {
    const isRefused = others.every((names) => names.includes(name));
    return isRefused && !Object.hasOwn(own, name) && isWholeOutput(name, from);
  });
}

/** Whether a schema may take an object, as far as its type says. */
function takesObject(rules: JsonValue): boolean {
  const { anyOf, type } = (rules ?? {}) as { type?: JsonValue; anyOf?: readonly JsonValue[] };
  if (anyOf !== undefined) return anyOf.some(takesObject);
  const types = typeof type === 'string' ? [type] : type;
  return !Array.isArray(types) || types.includes('object');
}

/** Whether a parameter of this name is the output of a step before, and nothing nearer gives it. */
function isWholeOutput(name: string, from: Viewpoint): boolean {
  if (standingOf(name, from) !== 'before') return false;
  for (const { list } of outwards(from)) {
    const isGiven =
      list.given.includes(name) || list.steps.some(({ set }) => set && Object.hasOwn(set, name));
    if (isGiven) return false;
    const step = list.steps[list.positions.get(name) ?? -1];
    if (step !== undefined) return hasNamedOutput(step) && (namesWritten(step) ?? []).length > 0;
  }
  return false;
}

/** Warns of parameters that two steps of a list write while neither step comes first. */
export function checkWrites({ lists, origins, warnings }: Examination): void {
  for (const list of lists) {
    for (const [name, pair] of clashesIn(list)) {
      const [first, second] = pair.map((i) => list.steps[i]);
      if (first === undefined || second === undefined) continue;
      const message =
        `Steps \`${clip(first.name)}\` and \`${clip(second.name)}\` both write` +
        ` \`${clip(name)}\`, and neither comes first.`;
      const hint = 'Let one need the other, or give them different names.';
      const path = second.set === undefined ? [] : ['set', name];
      const pointer = memberOf(second, origins, ...path);
      warnings.add({ pointer, code: 'WRITTEN_TWICE', message, hint });
    }
  }
}

/** By parameter: two steps that write it side by side. */
function clashesIn({ order, steps }: ListView): ReadonlyMap<string, readonly [number, number]> {
  const last = new Map<string, number>();
  const clashes = new Map<string, readonly [number, number]>();
  // All that write one name are in order exactly when each comes before the next one.
  for (const i of order.sequence()) {
    const step = steps[i];
    for (const name of (step && namesWritten(step)) ?? []) {
      const before = last.get(name);
      last.set(name, i);
      if (before === undefined || order.isBefore(before, i) || clashes.has(name)) continue;
      clashes.set(name, before < i ? [before, i] : [i, before]);
    }
  }
  return clashes;
}
