import type { FlowDefinition, StepPlan } from '#core';
import type { ListView } from './list-view.js';

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
export function namesOf(locks: NonNullable<FlowDefinition['locks']>): LockNames {
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
