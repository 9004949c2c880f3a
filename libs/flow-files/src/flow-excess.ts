import type { JsonObject, JsonValue } from '#core';
import { listsIn, namesOfTypes } from '#kinds';
import { flowFileSchema } from './flow-schema.js';
import { clip, isObject } from './read-json.js';
import { joinPointer, splitPointer } from './json-pointer.js';
import { NESTING_MAX, STEPS_MAX } from './language/limits.js';
import type { Finding, ProblemList } from './problem.js';

/**
 * Reports flows with too many steps or entries in a list, lists too deep or too long a name, and
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
  const steps = isShort ? flow : isObject(flow) ? flow['steps'] : undefined;
  const place = { pointer: isShort ? pointer : joinPointer(pointer, 'steps'), depth: 0 };
  const count = { steps: 0 };
  const finding = findInList(steps, place, count);
  if (finding !== null || count.steps <= STEPS_MAX) return finding;
  const message = `${subjectOf(pointer)} must have at most ${STEPS_MAX} steps, those in its steps included.`;
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

/** Where a list of steps stands, and in how many others below that of the flow. */
interface ListPlace {
  readonly pointer: string;
  readonly depth: number;
}

/** The first excess in a list of steps and in its steps. Counts the steps up to the bound. */
function findInList(
  steps: JsonValue | undefined,
  { depth, pointer }: ListPlace,
  count: { steps: number },
): Finding | null {
  if (!Array.isArray(steps)) return null;
  if (steps.length > STEPS_MAX) return tooLong(pointer, 'steps');
  if (depth > NESTING_MAX) return tooDeep(pointer);
  count.steps += steps.length;
  if (count.steps > STEPS_MAX) return null;
  for (const [i, step] of steps.entries()) {
    const at = joinPointer(pointer, i);
    const long = findLong(step, at);
    if (long !== null) return long;
    for (const { path, steps: inner } of listsIn(step)) {
      const below = { pointer: path.reduce<string>(joinPointer, at), depth: depth + 1 };
      const finding = findInList(inner as JsonValue, below, count);
      if (finding !== null) return finding;
    }
  }
  return null;
}

/** Members that hold steps, and those whose entries the schema does not know. */
const NOT_LOOKED_INTO: ReadonlySet<string> = new Set([
  'forEach',
  ...namesOfTypes(new Set(['steps', 'branches', 'object', 'json', 'parameters'])),
]);

/** Members whose members are lists of steps. */
const BRANCHES = namesOfTypes(new Set(['branches']));

/** A list that is too long and no list of steps, in a step or further down in it. */
function findLong(value: JsonValue, pointer: string): Finding | null {
  if (Array.isArray(value) && value.length > STEPS_MAX) return tooLong(pointer, 'entries');
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, part = null] of Object.entries(value)) {
    if (typeof part !== 'object' || part === null) continue;
    const at = joinPointer(pointer, name);
    const isMany = BRANCHES.has(name) && Object.keys(part).length > STEPS_MAX;
    if (isMany) return tooLong(at, 'branches');
    const finding = NOT_LOOKED_INTO.has(name) ? null : findLong(part, at);
    if (finding !== null) return finding;
  }
  return null;
}

function tooLong(pointer: string, entries: 'steps' | 'entries' | 'branches'): Finding {
  const message = `${subjectOf(pointer)} must have at most ${STEPS_MAX} ${entries}.`;
  const code = entries === 'steps' ? 'TOO_MANY_STEPS' : 'OUT_OF_RANGE';
  return { pointer, code, message, hint: SPLIT };
}

function tooDeep(pointer: string): Finding {
  const message = `More than ${NESTING_MAX} lists of steps lie in each other here.`;
  const hint = 'Take steps out of the innermost lists.';
  return { pointer, code: 'GROUPS_TOO_DEEP', message, hint };
}

/** The part of a flow file that a pointer points at, worded as the subject of a sentence. */
export function subjectOf(pointer: string): string {
  const path = splitPointer(pointer);
  const last = path.at(-1);
  if (last === undefined) return 'A flow file';
  if (path.length === 1 && last !== '$schema') return `Flow \`${clip(last)}\``;
  if (path.length > 2 && path.at(-2) === 'parallel') return `Branch \`${clip(last)}\``;
  if (!/^\d+$/.test(last)) return `\`${clip(last)}\``;
  const number = Number(last) + 1;
  if (path.length === 2) return `Step ${number}`;
  const holder = path.at(-2) ?? '';
  const owner = listOwner(path.slice(0, -1));
  if (owner !== null) return `Step ${number}${owner}`;
  return holder === 'choice' ? `Case ${number}` : `Entry ${number} of \`${clip(holder)}\``;
}

/**
 * The owner of the list of steps at a path, with the word before it; null: it is no list of steps.
 */
function listOwner(path: readonly string[]): string | null {
  const [around = '', part = '', last = ''] = path.slice(-3);
  if (last === 'group') return ' of the group';
  if (last === 'otherwise') return ' of `otherwise`';
  if (path.length > 2 && part === 'parallel') return ` of branch \`${clip(last)}\``;
  if (last !== 'steps') return null;
  if (path.length === 2) return '';
  if (part === 'loop') return ' of the loop';
  const number = Number(part) + 1;
  return around === 'choice' ? ` of case ${number}` : ` of entry ${number} of \`${clip(around)}\``;
}
