import type { FlowDefinition, StepPlan } from '#core';
import { isExpression } from '#expressions';
import { DEPRECATED_HINT } from '../deprecated-members.js';
import { clip } from '../json-document.js';
import { nearNameHint } from '../near-name-hint.js';
import type { Finding } from '../problem.js';
import { canFail } from './check-pivots.js';
import { deprecatedGiven, faultsOfGiven } from './child-parameters.js';
import type { Examination } from './examination.js';
import { type FlowStart, type KnownFlows, startOf, startsAlways } from './flow-outline.js';
import { type ListView, memberOf } from './list-view.js';

/** Something to be said of a step that starts child tasks. */
interface ChildRemark extends Pick<Finding, 'code' | 'message' | 'hint'> {
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
    const ring = ringFrom(name, start.name, known);
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

/** How the flow leads back to itself, by child tasks that are always started; null: it does not. */
function ringFrom(name: string, first: string, { outlines }: KnownFlows): readonly string[] | null {
  const paths = new Map<string, readonly string[]>([[first, [name, first]]]);
  for (const [at, path] of paths) {
    if (at === name) return path;
    for (const next of outlines.get(at)?.always ?? []) {
      if (!paths.has(next)) paths.set(next, [...path, next]);
    }
  }
  return null;
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
  // A child task is undone with its parent, by the steps of which this is the business.
  if (holder === null || kind === 'foreach') return false;
  if (kind === 'branch' && besides(holder, list).some((each) => each.some(canFail))) return true;
  return mayFailAfter(holder.list, holder.position);
}

function besides(
  { list, position }: NonNullable<ListView['holder']>,
  branch: ListView,
): readonly (readonly StepPlan[])[] {
  const branches = list.steps[position]?.parallel ?? [];
  return branches.map(({ steps }) => steps).filter((steps) => steps !== branch.steps);
}

function deprecated(name: string, member: string): Words {
  const message = `Flow \`${clip(name)}\` calls its parameter \`${clip(member)}\` deprecated.`;
  return { code: 'DEPRECATED_MEMBER', message, hint: DEPRECATED_HINT };
}

type Words = Pick<Finding, 'code' | 'message' | 'hint'>;

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
