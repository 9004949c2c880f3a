import {
  type CalledFlow,
  calledFlow,
  type FlowDefinition,
  type JsonObject,
  type StepPlan,
  templatesOf,
} from '#core';
import { isExpression } from '#expressions';
import type { BuiltFlow } from '../build-flow.js';
import { joinPointer } from '../json-pointer.js';
import { endOf } from './check-ends.js';
import { listsOf, memberOf, StepOrder } from './list-view.js';
import { keyOf, type LockNames, type LockOrder, lockOrder, namesOf } from './lock-pairs.js';

/** A flow whose tasks are started by tasks of another flow. */
export interface NamedStart {
  /** Null: an expression gives the name, or steps with names, when the step is reached. */
  readonly flow: string | null;
  /** Null: the newest. */
  readonly version: number | null;
  /** To what names it. */
  readonly pointer: string;
}

/** The facts about a flow that checks need of flows that start tasks of it. */
export interface FlowOutline {
  readonly name: string;
  readonly input: JsonObject | null;
  /** Some step is a point of no return, of its own or of child tasks that run its steps. */
  readonly hasPivot: boolean;
  /** Flows that every succeeding task starts as child tasks. */
  readonly always: readonly string[];
  readonly failureFlow: string | null;
  /** Pairs of locks: it asks for the second while it holds the first. */
  readonly lockPairs: readonly string[];
  /** Locks that it asks for, of the flow itself and of its steps. */
  readonly asks: LockNames;
  /** Child tasks of flows by name, with the locks that are held while they run. */
  readonly starts: readonly HeldStart[];
}

/** The flows that there are, as far as known. */
export interface KnownFlows {
  /** By name; null: one that is not sound so far. */
  readonly outlines: ReadonlyMap<string, FlowOutline | null>;
  /** Whether there are no others. */
  readonly isComplete: boolean;
}

/** Child tasks of a flow in its newest version, and the locks that are held while they run. */
export interface HeldStart extends FlowStart {
  readonly held: LockNames;
}

/** A step that starts child tasks of another flow. */
export interface FlowStart extends CalledFlow {
  readonly step: StepPlan;
}

// Definitions are immutable, and those of all flows are asked for with each text that is checked.
const outlines = new WeakMap<FlowDefinition, FlowOutline>();

/** The outline of a flow. */
export function outlineOf(definition: FlowDefinition): FlowOutline {
  const known = outlines.get(definition);
  if (known !== undefined) return known;
  const { failureFlow = null, input, locks = [], name, steps } = definition;
  const lists = [...listsOf(definition)];
  const all = lists.flatMap((list) => list.steps);
  const { heldBy, pairs } = lockOrder(definition, lists);
  const outline: FlowOutline = {
    name,
    input,
    hasPivot: lists.some((list) => list.steps.some(({ pivot }) => pivot === true)),
    always: [...new Set([...startsAlways(steps)].map((start) => start.name))],
    failureFlow,
    lockPairs: pairs.map(({ asked, held }) => keyOf(held, asked)),
    asks: namesOf([...locks, ...all.flatMap((step) => step.locks ?? [])]),
    starts: heldStarts(heldBy),
  };
  outlines.set(definition, outline);
  return outline;
}

/** The start of child tasks of another flow that a step is; null: it is none. */
export function startOf(step: StepPlan): FlowStart | null {
  const called = calledFlow(step);
  return called && { step, ...called };
}

/** The child tasks that steps start of flows by name, with the locks that are held meanwhile. */
export function heldStarts(heldBy: LockOrder['heldBy']): readonly HeldStart[] {
  return [...heldBy].flatMap(([step, held]) => {
    const start = startOf(step);
    if (start === null || isExpression(start.name)) return [];
    return start.version === null ? [{ ...start, held }] : [];
  });
}

/** The steps of a list, and of those in it, that every task with this list runs to succeed. */
export function* startsAlways(steps: readonly StepPlan[]): Generator<FlowStart> {
  const order = new StepOrder(steps);
  const end = steps.findIndex((step) => endOf(step) !== null);
  for (const [i, step] of steps.entries()) {
    if (end !== -1 && !order.isBefore(i, end)) continue;
    if (isUnconditional(step)) yield* startsOfStep(step);
  }
}

/** Whether it is run wherever its list is, and its failure is the failure of its list. */
function isUnconditional(step: StepPlan): boolean {
  const isRun = step.if === undefined || step.if === true;
  return isRun && step.optional !== true && step.catch === undefined;
}

function* startsOfStep(step: StepPlan): Generator<FlowStart> {
  const start = startOf(step);
  if (start !== null && isNewest(step) && !isExpression(start.name)) yield start;
  if (step.group !== undefined) yield* startsAlways(step.group);
  if (step.loop !== undefined) yield* startsAlways(step.loop.steps);
  for (const { steps } of step.parallel ?? []) yield* startsAlways(steps);
  const own = step.foreach?.steps ?? null;
  if (own !== null && isNewest(step)) yield* startsAlways(own);
}

/** Of a flow's newest version, and, of a list, for one item at least, which must succeed. */
function isNewest({ flow, foreach }: StepPlan): boolean {
  if (foreach === undefined) return (flow?.version ?? null) === null;
  const { in: items, successPercent } = foreach;
  return Array.isArray(items) && items.length > 0 && successPercent > 0;
}

/** All flows whose tasks the tasks of a flow start: as child tasks, and as the failure flow. */
export function startsIn({ definition, origins }: BuiltFlow, pointer: string): NamedStart[] {
  const { failureFlow } = definition;
  const starts: NamedStart[] = [];
  if (failureFlow !== undefined) {
    starts.push({ flow: failureFlow, version: null, pointer: joinPointer(pointer, 'failureFlow') });
  }
  for (const step of [...listsOf(definition)].flatMap(({ steps }) => steps)) {
    for (const { as, path } of templatesOf(step)) {
      if (as !== 'steps') continue;
      starts.push({ flow: null, version: null, pointer: memberOf(step, origins, ...path) });
    }
    const start = startOf(step);
    if (start === null) continue;
    const flow = isExpression(start.name) ? null : start.name;
    starts.push({ flow, version: start.version, pointer: memberOf(step, origins, ...start.path) });
  }
  return starts;
}
