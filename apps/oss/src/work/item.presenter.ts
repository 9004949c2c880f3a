import type { WorkItem } from '#engine';
import type { Shown } from '../requests/shown.js';

/** An item as a worker gets it. */
type PublicItem = Shown<'WorkItem'>;

/** An item, with its claim as a text. */
interface HandedItem {
  readonly item: WorkItem;
  readonly text: string;
}

/**
 * An item as HTTP shows it. A worker counts its times from the moment when it sent the request:
 * `waitedMs` of them had passed when the item was found.
 */
export function presentItem({ item, text }: HandedItem, waitedMs: number): PublicItem {
  const { claim: _, ...rest } = item;
  const { attemptTimeLeftMs, leaseMs, timeLeftMs } = item;
  return {
    claim: text,
    ...rest,
    leaseMs: leaseMs + waitedMs,
    timeLeftMs: timeLeftMs + waitedMs,
    attemptTimeLeftMs: attemptTimeLeftMs + waitedMs,
  };
}
