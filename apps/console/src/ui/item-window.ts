import { elementScroll, observeElementOffset, observeElementRect } from '@tanstack/virtual-core';
import { useRef } from 'preact/hooks';
import { usePrinting } from './printing.js';
import { useVirtualizer } from './virtual-list.js';

/** A shorter list is drawn whole. */
const WHOLE_MAX = 60;
/** Items beyond each edge, for those that are reached by a key. */
const BEYOND = 8;

/** A long list in a box that scrolls by itself. */
interface Listed {
  readonly count: number;
  /** Pixels of an item, until it is measured. */
  readonly itemPx: number;
  readonly keyOf: (index: number) => string | number;
}

/** The part of a long list that is drawn: all of it on paper. */
interface ItemWindow<Box extends HTMLElement> {
  /** From this item up to, not including, that one. */
  readonly from: number;
  readonly to: number;
  /** Pixels of the items before and after them. */
  readonly before: number;
  readonly after: number;
  /** For the box that scrolls. */
  readonly box: { current: Box | null };
  /** For each item, which carries its number as `data-index`. */
  readonly measure: (item: Element | null) => void;
}

/** Follows the box along a list, so that only the items near its part in view are drawn. */
export function useItemWindow<Box extends HTMLElement>(listed: Listed): ItemWindow<Box> {
  const { count, itemPx, keyOf } = listed;
  const box = useRef<Box>(null);
  const isWhole = usePrinting() || count <= WHOLE_MAX;
  const items = useVirtualizer<Box, Element>({
    count,
    enabled: !isWhole,
    getItemKey: keyOf,
    getScrollElement: () => box.current,
    estimateSize: () => itemPx,
    overscan: BEYOND,
    initialRect: { width: 0, height: WHOLE_MAX * itemPx },
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
  });
  const { measureElement: measure } = items;
  if (isWhole) return { from: 0, to: count, before: 0, after: 0, box, measure };
  const drawn = items.getVirtualItems();
  const [first, last] = [drawn[0], drawn.at(-1)];
  return {
    from: first?.index ?? 0,
    to: (last?.index ?? -1) + 1,
    before: first?.start ?? 0,
    after: items.getTotalSize() - (last?.end ?? 0),
    box,
    measure,
  };
}
