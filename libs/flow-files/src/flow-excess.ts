import type { JsonObject, JsonValue } from '#core';
import { flowFileSchema, GROUPS_DEEP_MAX, STEPS_MAX } from './flow-schema.js';
import { clip, isObject } from './json-document.js';
import { joinPointer } from './json-pointer.js';
import type { Finding, ProblemList } from './problem.js';
import { subjectOf } from './subject-of.js';

/**
 * Reports flows with too many steps or entries in a list, groups too deep or too long a name, and
 * leaves them out. The validator writes the path of each error, so that its time and memory grow
 * with the product.
 */
export function withoutExcess(file: JsonObject, problems: ProblemList): JsonObject {
  const checkable: Record<string, JsonValue> = {};
  for (const [name, flow = null] of Object.entries(file)) {
    const finding = findExcess(name, flow);
    if (finding === null) checkable[name] = flow;
    else problems.add(finding);
  }
  return checkable;
}

function findExcess(name: string, flow: JsonValue): Finding | null {
  const pointer = joinPointer('', name);
  if (name.length > FLOW_NAME_MAX) return longName(pointer, name);
  const isShort = Array.isArray(flow);
  const steps = isShort ? flow : memberOf(flow, 'steps');
  const place = { pointer: isShort ? pointer : joinPointer(pointer, 'steps'), depth: 0 };
  const count = { steps: 0 };
  const finding = findInList(steps, place, count);
  if (finding !== null || count.steps <= STEPS_MAX) return finding;
  const message = `${subjectOf(pointer)} must have at most ${STEPS_MAX} steps, those in its groups included.`;
  return { pointer: place.pointer, code: 'TOO_MANY_STEPS', message, hint: SPLIT };
}

const SPLIT = 'Split the flow into several flows.';

/** Longest name of a flow. */
const FLOW_NAME_MAX = 100;

function longName(pointer: string, name: string): Finding {
  const message = `\`${clip(name)}\` is not a name that is allowed here.`;
  const hint = flowFileSchema.propertyNames.description;
  return { pointer, at: 'name', code: 'WRONG_NAME', message, hint };
}

/** Where a list of steps stands, and in how many groups. */
interface ListPlace {
  readonly pointer: string;
  readonly depth: number;
}

/** What is too much in a list of steps and in its groups; counts the steps up to the bound. */
function findInList(
  steps: JsonValue | undefined,
  { depth, pointer }: ListPlace,
  count: { steps: number },
): Finding | null {
  if (!Array.isArray(steps)) return null;
  if (steps.length > STEPS_MAX) return tooLong(pointer, 'steps');
  if (depth > GROUPS_DEEP_MAX) return tooDeep(pointer);
  count.steps += steps.length;
  if (count.steps > STEPS_MAX) return null;
  for (const [i, step] of steps.entries()) {
    const needs = memberOf(step, 'needs');
    const at = (member: string): string => joinPointer(joinPointer(pointer, i), member);
    if (Array.isArray(needs) && needs.length > STEPS_MAX) return tooLong(at('needs'), 'entries');
    const group = memberOf(step, 'group');
    if (group === undefined) continue;
    const inner = findInList(group, { pointer: at('group'), depth: depth + 1 }, count);
    if (inner !== null) return inner;
  }
  return null;
}

function tooLong(pointer: string, entries: 'steps' | 'entries'): Finding {
  const message = `${subjectOf(pointer)} must have at most ${STEPS_MAX} ${entries}.`;
  const code = entries === 'steps' ? 'TOO_MANY_STEPS' : 'OUT_OF_RANGE';
  return { pointer, code, message, hint: SPLIT };
}

function tooDeep(pointer: string): Finding {
  const message = `More than ${GROUPS_DEEP_MAX} groups lie in each other here.`;
  const hint = 'Take steps out of the innermost groups.';
  return { pointer, code: 'GROUPS_TOO_DEEP', message, hint };
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isObject(value) ? value[name] : undefined;
}
