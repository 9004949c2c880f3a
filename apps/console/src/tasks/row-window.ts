import {
  defaultRangeExtractor,
  observeWindowOffset,
  observeWindowRect,
  type Range,
  type Virtualizer,
  windowScroll,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useVirtualizer } from '../ui/virtual-list.js';

/** A shorter list is drawn whole. */
const WHOLE_MAX = 100;
/** Rows beyond each edge of the window, for those that are reached by a key. */
const BEYOND = 12;
const ROW_PX = 45;

/** A row that is drawn. */
interface WindowRow {
  readonly index: number;
  /** Pixels of rows before it that are not drawn. */
  readonly gap: number;
}

/** The rows of a long list that are drawn. */
export interface RowWindow {
  readonly isPart: boolean;
  readonly rows: readonly WindowRow[];
  /** Pixels of rows after the last that are not drawn. */
  readonly after: number;
  /** For the part of the table that has the rows. */
  readonly body: { readonly current: HTMLTableSectionElement | null };
  /** For each row, which carries its number as `data-index`. */
  readonly measure: (row: HTMLTableRowElement | null) => void;
  /** The row with the focus stays, wherever the page is scrolled to; null: none has it. */
  readonly hold: (index: number | null) => void;
}

type Rows = Virtualizer<Window, HTMLTableRowElement>;

/** Follows the window along a list, so that only the rows near it are drawn. */
export function useRowWindow(count: number, keyOf: (index: number) => string): RowWindow {
  const body = useRef<HTMLTableSectionElement>(null);
  const [, redraw] = useState(0);
  const held = useRef<number | null>(null);
  const margin = useRef(0);
  const isPart = count > WHOLE_MAX;
  const rows = useVirtualizer<Window, HTMLTableRowElement>({
    count,
    enabled: isPart,
    getItemKey: keyOf,
    getScrollElement: () => window,
    estimateSize: () => ROW_PX,
    overscan: BEYOND,
    scrollMargin: margin.current,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    initialOffset: () => window.scrollY,
    rangeExtractor: (range: Range) => withHeld(range, held.current),
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
  });
  useLayoutEffect(() => {
    const top = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (!isPart || Math.abs(top - margin.current) < 1) return;
    margin.current = top;
    redraw((before) => before + 1);
  });
  return {
    isPart,
    ...(isPart ? drawn(rows, margin.current) : whole(count)),
    body,
    measure: rows.measureElement,
    hold: (index) => {
      held.current = index;
    },
  };
}

type Drawn = Pick<RowWindow, 'rows' | 'after'>;

function whole(count: number): Drawn {
  return { rows: Array.from({ length: count }, (_, index) => ({ index, gap: 0 })), after: 0 };
}

function drawn(rows: Rows, margin: number): Drawn {
  let end = margin;
  const found = rows.getVirtualItems().map((item): WindowRow => {
    const gap = item.start - end;
    end = item.end;
    return { index: item.index, gap };
  });
  return { rows: found, after: rows.getTotalSize() + margin - end };
}

function withHeld(range: Range, held: number | null): number[] {
  const indexes = defaultRangeExtractor(range);
  if (held === null || held >= range.count || indexes.includes(held)) return indexes;
  return [...indexes, held].toSorted((a, b) => a - b);
}
