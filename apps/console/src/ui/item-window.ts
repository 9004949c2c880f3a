import {
  defaultRangeExtractor,
  elementScroll,
  measureElement,
  observeElementOffset,
  observeWindowOffset,
  observeWindowRect,
  type Range,
  type Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { usePrinting } from './printing.js';
import { useVirtualizer } from './virtual-list.js';

/** A shorter list is drawn whole. */
const WHOLE_MAX = 60;
/** Items beyond each edge, for those that are reached by a key: in a box, in the page. */
const BEYOND = { box: 5, page: 12 } as const;
/** Pixels of a box, until it is measured: as many items as it shows are drawn at first. */
const BOX_PX = 480;

/** A long list, in a box that scrolls by itself or in the page. */
interface Listed {
  readonly count: number;
  /** Pixels of an item, until it is measured. */
  readonly itemPx: number;
  readonly keyOf: (index: number) => string | number;
  /** Whether the page scrolls, and not a box around the list. Default: a box. */
  readonly isOfPage?: boolean;
}

/** An item that is drawn. */
interface DrawnItem {
  readonly index: number;
  /** Pixels of items before it that are not drawn. */
  readonly gap: number;
}

/** The part of a long list that is drawn: all of it on paper. */
export interface ItemWindow<Box extends HTMLElement> {
  readonly isPart: boolean;
  readonly items: readonly DrawnItem[];
  /** Pixels of the items after the last that are not drawn. */
  readonly after: number;
  /** For the box that scrolls; in a page for the part of it that has the items. */
  readonly box: { current: Box | null };
  /** For each item, which carries its number as `data-index`. */
  readonly measure: (item: Element | null) => void;
  /** The item with the focus stays, wherever the list is scrolled to; null: none has it. */
  readonly hold: (index: number | null) => void;
}

type Items = Virtualizer<Element, Element>;
type Options = VirtualizerOptions<Element, Element>;

/** Follows the reader along a list, so that only the items near the part in view are drawn. */
export function useItemWindow<Box extends HTMLElement>(listed: Listed): ItemWindow<Box> {
  const { count, isOfPage = false, itemPx, keyOf } = listed;
  const box = useRef<Box>(null);
  const [, redraw] = useState(0);
  const held = useRef<number | null>(null);
  const margin = useRef(0);
  const isPart = !usePrinting() && count > WHOLE_MAX;
  const options: Options = {
    count,
    enabled: isPart,
    getItemKey: keyOf,
    estimateSize: () => itemPx,
    measureElement: measureLater,
    overscan: isOfPage ? BEYOND.page : BEYOND.box,
    scrollMargin: margin.current,
    rangeExtractor: (range) => withHeld(range, held.current),
    ...(isOfPage ? ofPage() : ofBox(box)),
  };
  const items: Items = useVirtualizer(options);
  useLayoutEffect(() => {
    if (!isOfPage || !isPart) return;
    const top = (box.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (Math.abs(top - margin.current) < 1) return;
    margin.current = top;
    redraw((before) => before + 1);
  });
  return {
    isPart,
    ...(isPart ? drawn(items, margin.current) : whole(count)),
    box,
    measure: items.measureElement,
    hold: (index) => {
      held.current = index;
    },
  };
}

/**
 * The size of an item once the browser has laid it out. To ask for it before, as the item comes
 * into the page, would have the browser lay out everything at once.
 */
const measureLater: NonNullable<Options['measureElement']> = (item, entry, items) => {
  if (entry !== undefined) return measureElement(item, entry, items);
  const index = items.indexFromElement(item);
  const { estimateSize, getItemKey } = items.options;
  return items.itemSizeCache.get(getItemKey(index)) ?? estimateSize(index);
};

/** The size of a box once the browser has laid it out; see `measureLater`. */
const observeLater: NonNullable<Options['observeElementRect']> = ({ scrollElement }, tell) => {
  const observer = new ResizeObserver(([entry]) => {
    const [size] = entry?.borderBoxSize ?? [];
    if (size !== undefined) tell({ width: size.inlineSize, height: size.blockSize });
  });
  if (scrollElement !== null) observer.observe(scrollElement);
  return () => observer.disconnect();
};

/** A list stands at its beginning when it comes: to scroll there would lay out the page. */
const scrollIfElsewhere: Options['scrollToFn'] = (offset, options, items) => {
  const { adjustments = 0 } = options;
  if (offset + adjustments !== items.scrollOffset) elementScroll(offset, options, items);
};

/** The parts of the options that depend on what scrolls. */
type Scrolling = Pick<
  Options,
  'getScrollElement' | 'observeElementRect' | 'observeElementOffset' | 'scrollToFn'
> &
  Pick<Partial<Options>, 'initialRect' | 'initialOffset'>;

/** The page as what scrolls; the window is no element, which makes no difference to the rest. */
function ofPage(): Scrolling {
  const page = {
    getScrollElement: () => window,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    initialOffset: () => window.scrollY,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
  };
  return page as unknown as Scrolling;
}

function ofBox(box: { readonly current: Element | null }): Scrolling {
  return {
    getScrollElement: () => box.current,
    initialRect: { width: 0, height: BOX_PX },
    observeElementRect: observeLater,
    observeElementOffset,
    scrollToFn: scrollIfElsewhere,
  };
}

type Drawn = Pick<ItemWindow<HTMLElement>, 'items' | 'after'>;

function whole(count: number): Drawn {
  return { items: Array.from({ length: count }, (_, index) => ({ index, gap: 0 })), after: 0 };
}

function drawn(items: Items, margin: number): Drawn {
  let end = margin;
  const found = items.getVirtualItems().map((item): DrawnItem => {
    const gap = item.start - end;
    end = item.end;
    return { index: item.index, gap };
  });
  return { items: found, after: items.getTotalSize() + margin - end };
}

function withHeld(range: Range, held: number | null): number[] {
  const indexes = defaultRangeExtractor(range);
  if (held === null || held >= range.count || indexes.includes(held)) return indexes;
  return [...indexes, held].toSorted((a, b) => a - b);
}
