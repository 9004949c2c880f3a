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
 * An item as HTTP shows it. A worker counts its times from `waitedMs` after the moment when it sent
 * the request: so no clock has to agree, and an answer that was long on its way shortens them.
 */
export function presentItem({ item, text }: HandedItem, waitedMs: number): PublicItem {
  const { claim: _, ...rest } = item;
  return { claim: text, ...rest, waitedMs };
}
