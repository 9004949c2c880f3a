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
import { endOf } from './check-undo.js';
import { listsOf, type ListView, memberOf, StepOrder } from './list-view.js';

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

/** Locks by their names, with the slots that are written there. */
export type LockNames = ReadonlyMap<string, number>;

/** A place in a flow that asks for a lock. */
export interface LockPlace {
  readonly step: StepPlan;
  /** From the step to what asks. */
  readonly path: readonly (string | number)[];
}

/** A lock that is asked for while another one is held. */
export interface LockPair extends LockPlace {
  readonly held: string;
  readonly asked: string;
}

/** The locks around a list of steps. */
interface Held {
  /** By the task that runs the steps. */
  readonly own: LockNames;
  /** By the parents of that task, as it runs steps of theirs. */
  readonly byParents: LockNames;
}

const NO_LOCKS: LockNames = new Map();

/** The locks of a flow, as they are asked for one while others are held. */
export interface LockOrder {
  /** Each pair once. */
  readonly pairs: readonly LockPair[];
  /** Places that ask for what a parent of the task holds. */
  readonly ofParents: readonly (LockPlace & { readonly name: string })[];
  /** Of each step the locks that are held while it is under way, its own included. */
  readonly heldBy: ReadonlyMap<StepPlan, LockNames>;
}

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

/**
 * How a flow that starts another one leads back to itself, by the flows that each of them starts;
 * null: it does not.
 */
export function ringFrom(
  name: string,
  first: string,
  startsOf: (flow: string) => readonly string[],
): readonly string[] | null {
  const paths = new Map<string, readonly string[]>([[first, [name, first]]]);
  for (const [at, path] of paths) {
    if (at === name) return path;
    for (const next of startsOf(at)) {
      if (!paths.has(next)) paths.set(next, [...path, next]);
    }
  }
  return null;
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

/**
 * The locks that a flow asks for while it holds others. Those of one list are taken in the order of
 * their names, so that they make no pair. An expression stands for the name that it gives: two
 * equal expressions may give one name.
 */
export function lockOrder(
  { locks: own = [] }: FlowDefinition,
  lists: readonly ListView[],
): LockOrder {
  const pairs = new Map<string, LockPair>();
  const ofParents: (LockPlace & { readonly name: string })[] = [];
  const heldBy = new Map<StepPlan, LockNames>();
  const heldIn = new Map<ListView, Held>();
  for (const list of lists) {
    const held = heldAround(list, namesOf(own), heldIn);
    heldIn.set(list, held);
    const around = joined(held.byParents, held.own);
    for (const step of list.steps) {
      heldBy.set(step, joined(around, namesOf(step.locks ?? [])));
      for (const [position, { name: asked, slots }] of (step.locks ?? []).entries()) {
        if (held.own.has(asked)) continue;
        const place = { step, path: ['locks', position, 'name'] };
        if (isFull(held.byParents.get(asked), slots)) ofParents.push({ name: asked, ...place });
        for (const name of around.keys()) {
          const key = keyOf(name, asked);
          if (name !== asked && !pairs.has(key)) pairs.set(key, { held: name, asked, ...place });
        }
      }
    }
  }
  return { pairs: [...pairs.values()], ofParents, heldBy };
}

/** Whether a request for this lock waits for one certain holder. */
export function isFull(heldSlots: number | undefined, slots: number): boolean {
  return heldSlots !== undefined && Math.min(heldSlots, slots) === 1;
}

/** Locks as they are written, by their names. */
function namesOf(locks: NonNullable<FlowDefinition['locks']>): LockNames {
  return locks.length === 0 ? NO_LOCKS : new Map(locks.map(({ name, slots }) => [name, slots]));
}

function joined(one: LockNames, other: LockNames): LockNames {
  return other.size === 0 ? one : new Map([...one, ...other]);
}

/** Both names of a pair as one text. */
export function keyOf(held: string, asked: string): string {
  return JSON.stringify([held, asked]);
}

/** The locks that are held while a list of steps runs; lists come after those around them. */
function heldAround(
  { holder, kind }: ListView,
  ofFlow: LockNames,
  heldIn: ReadonlyMap<ListView, Held>,
): Held {
  if (holder === null) return { own: ofFlow, byParents: NO_LOCKS };
  const { byParents = NO_LOCKS, own = NO_LOCKS } = heldIn.get(holder.list) ?? {};
  const step = holder.list.steps[holder.position];
  const held = joined(own, namesOf(step?.locks ?? []));
  // Its steps are run by child tasks, while the step itself is under way.
  if (kind === 'foreach') return { own: NO_LOCKS, byParents: joined(byParents, held) };
  return { own: held, byParents };
}
