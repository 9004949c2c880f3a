import {
  CHILDREN_MAX,
  type FlowDefinition,
  type JsonObject,
  type JsonValue,
  type StepPlan,
} from '#core';
import { expressionsIn, isExpression, parseExpression } from '#expressions';
import {
  declaredMembers,
  DEPRECATED_HINT,
  deprecatedMembers,
  isClosed,
} from '../declared-members.js';
import { clip, isObject } from '../read-json.js';
import { nearNameHint } from '../near-name-hint.js';
import type { Words } from '../problem.js';
import { inputCheck, type InputProblem, measure } from '../input-schema.js';
import { splitPointer } from '../json-pointer.js';
import { besides, canFail } from './check-undo.js';
import type { Examination } from './examination.js';
import {
  type FlowStart,
  type KnownFlows,
  ringFrom,
  startOf,
  startsAlways,
} from './flow-outline.js';
import { type ListView, memberOf } from './list-view.js';

/** A path of names into the parameters or the request, and nothing else. */
const MEMBER_PATH = /^\s*(?:(\$input|\$\$?)\.)?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*$/;

/** Most steps that one check may take, about 40 ms of them: one that takes more is left out. */
const WORK_MAX = 4_000_000;

/** More of one step than a person reads. */
const FAULTS_MAX = 10;

/** Of a schema that says what each member is by itself, and nothing of several together. */
const SIMPLE: ReadonlySet<string> = new Set(
  (
    '$schema $id $defs $comment title description default examples type properties required ' +
    'additionalProperties'
  ).split(' '),
);

/** Parameters of child tasks: the known values, and the names of those that are computed. */
interface Given {
  readonly values: JsonObject;
  readonly open: readonly string[];
}

/** Something to be said of a step that starts child tasks. */
interface ChildRemark extends Words {
  readonly step: StepPlan;
  /** From the step to what is at fault. */
  readonly path: readonly (string | number)[];
}

/** Looks at the child tasks of a flow: those that never end are refused, the rest is a warning. */
export function checkChildren(examination: Examination): void {
  const { definition, known, lists, origins, problems, warnings } = examination;
  for (const { path, step, ...words } of remarksOnChildren(definition, lists, known)) {
    const pointer = memberOf(step, origins, ...path);
    const found = words.code === 'ENDLESS_FLOWS' ? problems : warnings;
    found.add({ pointer, ...words });
  }
}

/** Everything that is to be said of the child tasks of a flow. */
export function* remarksOnChildren(
  { name, steps }: FlowDefinition,
  lists: readonly ListView[],
  known: KnownFlows,
): Generator<ChildRemark> {
  for (const start of known.outlines.has(name) ? startsAlways(steps) : []) {
    const ring = ringFrom(name, start.name, (flow) => known.outlines.get(flow)?.always ?? []);
    if (ring !== null) yield { ...start, ...endless(ring) };
  }
  for (const list of lists) {
    for (const [position, step] of list.steps.entries()) {
      const start = startOf(step);
      if (start !== null && !isExpression(start.name)) yield* remarksOn(start, known);
      const pivot = pivotBelow(step, known);
      if (pivot === null || !mayGoBack(list, position)) continue;
      yield { step, path: start?.path ?? ['foreach'], ...pivotInChild(pivot, step) };
    }
  }
}

function* remarksOn(
  start: FlowStart,
  { isComplete, outlines }: KnownFlows,
): Generator<ChildRemark> {
  const { name, step } = start;
  const outline = outlines.get(name);
  if (outline === undefined) {
    if (isComplete) yield { ...start, ...unknownFlow(name, [...outlines.keys()]) };
    return;
  }
  const isOther = (step.flow?.version ?? null) !== null;
  if (outline === null || outline.input === null || isOther) return;
  for (const { message, path } of faultsOfGiven(step, outline.input)) {
    yield { step, path, ...wrongParameters(name, message) };
  }
  for (const { member, path } of deprecatedGiven(step, outline.input)) {
    yield { step, path, ...deprecated(name, member) };
  }
}

/** The flow that has a point of no return in child tasks of a step; null: none is known. */
function pivotBelow(step: StepPlan, { outlines }: KnownFlows): string | null {
  const own = step.foreach?.steps ?? null;
  if (own !== null) return own.some(({ pivot }) => pivot === true) ? '' : null;
  const start = startOf(step);
  if (start === null || (step.flow?.version ?? null) !== null) return null;
  return outlines.get(start.name)?.hasPivot === true ? start.name : null;
}

/** Whether child tasks of a step that succeeded may have to be undone. */
function mayGoBack(list: ListView, position: number): boolean {
  const step = list.steps[position];
  if (step?.foreach !== undefined && mayFailTogether(step.foreach)) return true;
  return step?.pivot !== true && mayFailAfter(list, position);
}

/** Whether some child tasks may succeed, and the step fails because of others. */
function mayFailTogether({ in: items, successPercent }: NonNullable<StepPlan['foreach']>): boolean {
  return successPercent > 0 && !(Array.isArray(items) && items.length < 2);
}

/** Whether a step that does not come before another one may fail, in its list or those around. */
function mayFailAfter(list: ListView, position: number): boolean {
  const { holder, kind, order, steps } = list;
  const isOpen = (i: number): boolean => {
    if (kind === 'loop') return true;
    return i !== position && !order.isBefore(i, position);
  };
  if (steps.some((step, i) => isOpen(i) && canFail(step))) return true;
  // A child task is undone with its parent, so `check-undo.ts` looks at the steps of the parent.
  if (holder === null || kind === 'foreach') return false;
  if (besides(list).some(canFail)) return true;
  return mayFailAfter(holder.list, holder.position);
}

function deprecated(name: string, member: string): Words {
  const message = `Flow \`${clip(name)}\` calls its parameter \`${clip(member)}\` deprecated.`;
  return { code: 'DEPRECATED_MEMBER', message, hint: DEPRECATED_HINT };
}

function endless(ring: readonly string[]): Words {
  const names = ring.map((name) => `\`${clip(name)}\``);
  const message = `Each of these tasks starts the next one without end: ${names.join(' starts ')}.`;
  const hint = 'Give one of the steps that start them an `if`.';
  return { code: 'ENDLESS_FLOWS', message, hint };
}

function unknownFlow(name: string, all: readonly string[]): Words {
  const message = `There is no flow \`${clip(name)}\` so far.`;
  return { code: 'UNKNOWN_CHILD_FLOW', message, hint: nearNameHint(name, all) };
}

function wrongParameters(name: string, fault: string): Words {
  const message = `Flow \`${clip(name)}\` does not take what it is given here: ${fault}`;
  const hint = 'Compare `parameters` with the `input` of that flow.';
  return { code: 'WRONG_CHILD_PARAMETERS', message, hint };
}

function pivotInChild(name: string, { foreach, name: step }: StepPlan): Words {
  const whose = name === '' ? 'The steps here have' : `Flow \`${clip(name)}\` has`;
  const message =
    `${whose} a point of no return, and a child task that has passed it is not undone when` +
    ` step \`${clip(step)}\` is.`;
  const hint =
    foreach === undefined
      ? 'Write "pivot": true on this step as well, or put what can fail before it.'
      : 'Put the point of no return behind this step, or let it take any failure: successPercent 0.';
  return { code: 'PIVOT_IN_CHILD', message, hint };
}

/** Faults for which an `input` is certain to refuse the parameters a step gives child tasks. */
function faultsOfGiven(step: StepPlan, input: JsonObject) {
  const given = givenBy(step);
  if (given === null) return [];
  const isSimple = Object.keys(input).every((name) => SIMPLE.has(name));
  if (given.open.length > 0 && !isSimple) return [];
  const check = inputCheck(input);
  // A member is null if only its name is known.
  const values = { ...Object.fromEntries(given.open.map((name) => [name, null])), ...given.values };
  if (measure(values, WORK_MAX) * check.work > WORK_MAX) return [];
  const found = check.findProblems(values).filter((problem) => isCertain(problem, given, input));
  return found.slice(0, FAULTS_MAX).map(({ message, pointer }) => {
    return { message, path: pathTo(step, splitPointer(pointer)) };
  });
}

/** Parameters of child tasks that the `input` of their flow calls deprecated. */
function deprecatedGiven(step: StepPlan, input: JsonObject) {
  const { open = [], values = {} } = givenBy(step) ?? {};
  const gone = deprecatedMembers(input);
  const found = [...Object.keys(values), ...open].filter((name) => gone.has(name));
  return found.map((member) => ({ member, path: pathTo(step, [member]) }));
}

/** Of what is not known, only that a closed `input` does not have the name. */
function isCertain({ pointer }: InputProblem, { open }: Given, input: JsonObject): boolean {
  const [name = ''] = splitPointer(pointer);
  if (!open.includes(name)) return true;
  return isClosed(input) && !declaredMembers(input).has(name);
}

/** Null: an expression hands on whatever there is. */
function givenBy({ flow, foreach }: StepPlan): Given | null {
  const parameters = (flow ?? foreach)?.parameters ?? {};
  if (typeof parameters === 'string') return null;
  const all = Object.entries(parameters as JsonObject);
  const isOpen = (value: JsonValue = null): boolean => expressionsIn(value).length > 0;
  const open = all.filter(([, value]) => isOpen(value)).map(([name]) => name);
  const values = Object.fromEntries(all.filter(([, value]) => !isOpen(value)));
  const item = foreach === undefined || Object.hasOwn(parameters as JsonObject, foreach.as);
  return { values, open: item ? open : [...open, foreach.as] };
}

/** As much of a path into the parameters as is there. */
function pathTo({ flow, foreach }: StepPlan, path: readonly string[]): readonly string[] {
  const member = flow === undefined ? 'foreach' : 'flow';
  let at: JsonValue = (flow ?? foreach)?.parameters ?? null;
  if (at === null) return [member];
  const found = [member, 'parameters'];
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) break;
    found.push(name);
    at = (at as JsonObject)[name] ?? null;
  }
  return found;
}

/** Warns of a `foreach` whose items a request sends without a limit on their number. */
export function checkForeach({ definition, lists, origins, warnings }: Examination): void {
  const steps = lists.flatMap((list) => list.steps);
  const set = steps.flatMap((step) => Object.keys(step.set ?? {}));
  const own = new Set([...lists.flatMap(({ given }) => given), ...set]);
  for (const step of steps) {
    const { in: items } = step.foreach ?? {};
    if (typeof items !== 'string' || !isExpression(items)) continue;
    const open = openIn(items, definition, own);
    if (open === null) continue;
    const message =
      `Whoever starts a task says by \`${clip(open)}\` how many child tasks there are,` +
      ` up to ${CHILDREN_MAX}.`;
    const hint = 'Give it a `maxItems` (or a number its `maximum`) in `input`.';
    const pointer = memberOf(step, origins, 'foreach', 'in');
    warnings.add({ pointer, code: 'FOREACH_WITHOUT_BOUND', message, hint });
  }
}

/**
 * The member of a request that says how many items there are, without a bound; null: none is
 * known. A name that the flow gives a value itself is no member of a request.
 */
function openIn(text: string, { input }: FlowDefinition, own: ReadonlySet<string>): string | null {
  const parsed = parseExpression(text);
  if (input === null || !('names' in parsed)) return null;
  const [, from, path] = MEMBER_PATH.exec(parsed.source) ?? [];
  if (path !== undefined) {
    const names = path.split('.');
    const isOwn = from !== '$input' && own.has(names[0] ?? '');
    return !isOwn && isOpenList(memberAt(input, names)) ? path : null;
  }
  const isRange = parsed.source.includes('..');
  const read = [
    ...parsed.names.input.named,
    ...parsed.names.parameters.named.filter(({ name }) => !own.has(name)),
  ];
  const found = read.find(({ name }) => {
    const schema = memberAt(input, [name]);
    return isOpenList(schema) || (isRange && isOpenNumber(schema));
  });
  return found?.name ?? null;
}

/** The schema of a member, as far as `properties` say it. */
function memberAt(input: JsonObject, names: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = input;
  for (const name of names) {
    const members: JsonValue | undefined = isObject(at) ? at['properties'] : undefined;
    at = isObject(members) && Object.hasOwn(members, name) ? members[name] : undefined;
  }
  return at;
}

function isOpenList(schema: JsonValue | undefined): boolean {
  return isOfType(schema, 'array') && !('maxItems' in schema);
}

function isOpenNumber(schema: JsonValue | undefined): boolean {
  const isNumber = isOfType(schema, 'integer') || isOfType(schema, 'number');
  return isNumber && !('maximum' in schema) && !('exclusiveMaximum' in schema);
}

/** Of a type, and not of values that are listed. */
function isOfType(schema: JsonValue | undefined, type: string): schema is JsonObject {
  if (!isObject(schema) || 'enum' in schema || 'const' in schema) return false;
  return [schema['type'] ?? []].flat().includes(type);
}
