import type { FlowDefinition, StepPlan } from '#core';
import { graphOf, planLists } from '#core/flow';
import type { Origins } from '../build-steps.js';
import { joinPointer } from '../json-pointer.js';

/** Where a list of steps is held: by a step of another list. */
export interface Holder {
  readonly list: ListView;
  readonly position: number;
}

/** One list of steps of a flow, and all around it. */
export interface ListView {
  /** The word for it; `flow` is the flow's own list. */
  readonly kind: string;
  readonly steps: readonly StepPlan[];
  /** Null: it is the flow's own list. */
  readonly holder: Holder | null;
  /** Names that its steps see besides, as `forEach` and `catch` give them. */
  readonly given: readonly string[];
  /** The least time that the flow and the groups around leave it, in milliseconds. */
  readonly limitMs: number;
  readonly order: StepOrder;
  /** Positions by name. */
  readonly positions: ReadonlyMap<string, number>;
}

/** A list of steps that a step holds, and what its steps see besides. */
interface Held {
  readonly kind: string;
  readonly steps: readonly StepPlan[];
  readonly given: readonly string[];
}

/** All lists of a flow, each before those in its steps. */
export function* listsOf({ steps, timeoutMs }: FlowDefinition): Generator<ListView> {
  const limitMs = timeoutMs ?? Infinity;
  yield* viewsFrom(viewOf({ kind: 'flow', steps, given: [] }, null, limitMs));
}

function* viewsFrom(list: ListView): Generator<ListView> {
  yield list;
  for (const [position, step] of list.steps.entries()) {
    for (const view of viewsIn(step, { list, position })) yield* viewsFrom(view);
  }
}

function* viewsIn(step: StepPlan, holder: Holder): Generator<ListView> {
  const ownMs = step.group === undefined ? null : step.timeoutMs;
  for (const held of heldLists(step)) {
    // A catch runs when the group is over.
    const limitMs = held.kind === 'catch' ? Infinity : (ownMs ?? Infinity);
    yield viewOf(held, holder, Math.min(holder.list.limitMs, limitMs));
  }
}

function viewOf({ given, kind, steps }: Held, holder: Holder | null, limitMs: number): ListView {
  const positions = new Map(steps.map(({ name }, i) => [name, i]));
  return { kind, steps, holder, given, limitMs, order: new StepOrder(steps), positions };
}

/** The view of a loop's body, as its conditions see it. */
export function bodyOf(step: StepPlan, holder: Holder): ListView {
  const { steps = [] } = step.loop ?? {};
  return viewOf({ kind: 'loop', steps, given: [] }, holder, holder.list.limitMs);
}

/** The view from the parameters that a step gives a child task: its own, and the item besides. */
export function itemOf(step: StepPlan, holder: Holder): ListView {
  const given = step.foreach === undefined ? [] : [step.foreach.as];
  return viewOf({ kind: 'item', steps: [], given }, holder, holder.list.limitMs);
}

/** The lists in a step, in the order of a file. */
export function heldLists(step: StepPlan): readonly Held[] {
  return planLists(step).map(({ declared, sees, steps }) => {
    return { kind: declared.list, steps, given: sees === null ? [] : [sees] };
  });
}

/** Which steps of a list come before which. */
export class StepOrder {
  readonly #steps: readonly StepPlan[];
  readonly #isChain: boolean;
  /** By step: a bit for each that must have ended before it. */
  #before: readonly Uint32Array[] | null = null;

  constructor(steps: readonly StepPlan[]) {
    this.#steps = steps;
    this.#isChain = steps.every(({ needs: [need, other] }, i) => {
      return other === undefined && need === (i === 0 ? undefined : i - 1);
    });
  }

  /** Whether a step must have ended before another one begins. */
  isBefore(first: number, second: number): boolean {
    if (this.#isChain) return first < second;
    this.#before ??= beforeEach(this.#steps);
    return ((this.#before[second]?.[first >> 5] ?? 0) & (1 << (first & 31))) !== 0;
  }

  /** Positions so that each comes after everything it needs. */
  sequence(): readonly number[] {
    return graphOf(this.#steps).order;
  }
}

function beforeEach(steps: readonly StepPlan[]): readonly Uint32Array[] {
  const before = steps.map(() => new Uint32Array(Math.ceil(steps.length / 32)));
  for (const i of graphOf(steps).order) {
    const mine = before[i];
    if (mine === undefined) continue;
    for (const need of steps[i]?.needs ?? []) {
      before[need]?.forEach((bits, word) => (mine[word] = (mine[word] ?? 0) | bits));
      mine[need >> 5] = (mine[need >> 5] ?? 0) | (1 << (need & 31));
    }
  }
  return before;
}

/** The pointer of a member of a step. */
export function memberOf(step: StepPlan, origins: Origins, ...path: (string | number)[]): string {
  return path.reduce<string>(joinPointer, origins.get(step)?.pointer ?? '');
}
