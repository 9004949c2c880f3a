import type { FlowDefinition } from '#core';
import { isExpression } from '#expressions';
import { clip } from '../read-json.js';
import type { Words } from '../problem.js';
import type { Examination } from './examination.js';
import {
  type FlowOutline,
  type HeldStart,
  heldStarts,
  isFull,
  keyOf,
  type KnownFlows,
  type LockNames,
  type LockOrder,
  lockOrder,
  type LockPair,
  type LockPlace,
} from './flow-outline.js';
import { type ListView, memberOf } from './list-view.js';

/** Something to be said of a lock that is asked for while one is held. */
type LockRemark = LockPlace & Words;

/** Warns of locks that are taken in opposite orders, or asked for while a parent holds them. */
export function checkLocks({ definition, known, lists, origins, warnings }: Examination): void {
  for (const { path, step, ...words } of remarksOnLocks(definition, lists, known)) {
    warnings.add({ pointer: memberOf(step, origins, ...path), ...words });
  }
}

/** Everything that is to be said of the locks of a flow. */
export function* remarksOnLocks(
  definition: FlowDefinition,
  lists: readonly ListView[],
  known: KnownFlows,
): Generator<LockRemark> {
  const order = lockOrder(definition, lists);
  const below = startedIn(order, known);
  for (const { name, ...place } of order.ofParents) yield { ...place, ...ofParent(name, null) };
  for (const { asked, held, name: flow, path, step } of below) {
    const [full] = [...asked].filter(([name, slots]) => isFull(held.get(name), slots));
    if (full !== undefined) yield { step, path, ...ofParent(full[0], flow) };
  }
  const pairs = [...order.pairs, ...below.flatMap(pairsBelow)];
  if (pairs.length === 0) return;
  const own = new Set(pairs.map(({ asked, held }) => keyOf(held, asked)));
  const others = holdersByPair(known);
  for (const { asked, held, path, step } of pairs) {
    const opposite = keyOf(asked, held);
    const other = own.has(opposite)
      ? definition.name
      : others.get(opposite)?.find((name) => name !== definition.name);
    if (other === undefined) continue;
    const where = other === definition.name ? 'This flow' : `Flow \`${clip(other)}\``;
    const message =
      `${where} holds \`${clip(asked)}\` and then asks for \`${clip(held)}\`; here it is the` +
      ' other way round, so that two tasks may wait for each other.';
    const hint = 'Take both in one order everywhere, or both by one list of `locks`.';
    yield { step, path, code: 'LOCKS_INVERTED', message, hint };
  }
}

/** Child tasks of another flow, and the locks that they ask for while others are held. */
interface Started extends HeldStart {
  readonly asked: LockNames;
}

function startedIn({ heldBy }: LockOrder, known: KnownFlows): readonly Started[] {
  const starts = heldStarts(heldBy).filter(({ held }) => held.size > 0);
  return starts.map((start) => ({ ...start, asked: locksBelow(start.name, known) }));
}

function pairsBelow({ asked, held, path, step }: Started): readonly LockPair[] {
  return [...asked.keys()].flatMap((name) => {
    const others = [...held.keys()].filter((other) => other !== name);
    return others.map((other) => ({ held: other, asked: name, path, step }));
  });
}

function ofParent(lock: string, flow: string | null): Words {
  const tasks = flow === null ? 'A child task' : `A task of \`${clip(flow)}\``;
  const message =
    `${tasks} asks for \`${clip(lock)}\`, which its parent holds until the child task has ended:` +
    ' it would wait for ever.';
  const hint = 'Take the lock in the parent alone or in the child tasks alone.';
  return { code: 'LOCK_OF_PARENT', message, hint };
}

// All flows of a text are examined against the same others.
const indexes = new WeakMap<KnownFlows['outlines'], ReadonlyMap<string, readonly string[]>>();

/** Names of flows by the pairs of locks that they take in that order. */
function holdersByPair({ outlines }: KnownFlows): ReadonlyMap<string, readonly string[]> {
  const known = indexes.get(outlines);
  if (known !== undefined) return known;
  const index = new Map<string, string[]>();
  for (const outline of outlines.values()) {
    if (outline === null) continue;
    for (const pair of pairsOf(outline, { outlines })) addHolder(index, pair, outline.name);
  }
  indexes.set(outlines, index);
  return index;
}

/** A second name is enough to find another flow than the one that asks. */
function addHolder(index: Map<string, string[]>, pair: string, name: string): void {
  const holders = index.get(pair);
  if (holders === undefined) index.set(pair, [name]);
  else if (holders.length < 2) holders.push(name);
}

/**
 * The locks that a task of a flow, and the child tasks below it, ask for by their names. An
 * expression in another flow says nothing here: it is worked out of other values.
 */
function locksBelow(flow: string, { outlines }: Pick<KnownFlows, 'outlines'>): LockNames {
  const found = new Map<string, number>();
  const flows = new Set([flow]);
  for (const name of flows) {
    const outline = outlines.get(name);
    for (const [lock, slots] of outline?.asks ?? []) {
      if (!isExpression(lock)) found.set(lock, Math.min(slots, found.get(lock) ?? slots));
    }
    for (const start of outline?.starts ?? []) flows.add(start.name);
  }
  return found;
}

/** The pairs of locks that a flow takes one after the other, those of its child tasks included. */
function pairsOf(outline: FlowOutline, known: Pick<KnownFlows, 'outlines'>): Set<string> {
  const pairs = new Set(outline.lockPairs);
  for (const { held, name: flow } of outline.starts) {
    if (held.size === 0) continue;
    for (const asked of locksBelow(flow, known).keys()) {
      for (const lock of held.keys()) if (lock !== asked) pairs.add(keyOf(lock, asked));
    }
  }
  return pairs;
}
