import { isExpression } from '#expressions';
import type { FlowOutline, KnownFlows } from './flow-outline.js';
import { keyOf, type LockNames } from './lock-pairs.js';

/**
 * The locks that a task of a flow, and the child tasks below it, ask for by their names. An
 * expression in another flow says nothing here: it is worked out of other values.
 */
export function locksBelow(flow: string, { outlines }: Pick<KnownFlows, 'outlines'>): LockNames {
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
export function pairsOf(outline: FlowOutline, known: Pick<KnownFlows, 'outlines'>): Set<string> {
  const pairs = new Set(outline.lockPairs);
  for (const { held, name: flow } of outline.starts) {
    if (held.size === 0) continue;
    for (const asked of locksBelow(flow, known).keys()) {
      for (const lock of held.keys()) if (lock !== asked) pairs.add(keyOf(lock, asked));
    }
  }
  return pairs;
}
