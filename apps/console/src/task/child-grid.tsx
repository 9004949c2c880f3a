import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../ui/icons.js';
import { toldText } from '../ui/linked-text.js';
import { useItemWindow } from '../ui/item-window.js';
import { stateWord, WORDS } from '../words.js';
import { type Child, CHILD_LOOKS, groupOf, itemOf } from './children.js';

/** Pixels of a cell, with the gap beside it. */
const CELL = { width: 112, height: 36 } as const;

/** Child tasks of a step in a grid, of which only the rows in view are drawn. */
export function ChildGrid({ items }: { readonly items: readonly Child[] }): JSX.Element {
  const [columns, setColumns] = useState(4);
  const rows = Math.ceil(items.length / columns);
  const {
    after,
    box,
    items: drawn,
  } = useItemWindow<HTMLDivElement>({
    count: rows,
    itemPx: CELL.height,
    keyOf: (row) => row,
  });
  useLayoutEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const width = entry?.contentRect.width ?? 0;
      setColumns(Math.max(1, Math.floor(width / CELL.width)));
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const [{ gap, index } = { gap: 0, index: 0 }] = drawn;
  const first = index * columns;
  return (
    <div class="child-box" ref={box}>
      <ol
        class="child-grid"
        role="list"
        aria-label={WORDS.childTasks.all}
        style={{
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          paddingTop: gap,
          paddingBottom: after,
        }}
      >
        {items.slice(first, first + drawn.length * columns).map((child, place) => (
          <Cell key={child.taskId} child={child} place={first + place} count={items.length} />
        ))}
      </ol>
    </div>
  );
}

interface CellProps {
  readonly child: Child;
  readonly place: number;
  readonly count: number;
}

function Cell({ child, count, place }: CellProps): JSX.Element {
  const { icon, tone } = CHILD_LOOKS[groupOf(child)];
  const message = ('reason' in child ? child.reason : child.taskMessage) ?? '';
  const state = stateWord(child.status);
  return (
    <li aria-setsize={count} aria-posinset={place + 1}>
      <a
        class={`child-cell tone-${tone}`}
        href={`/console/tasks/${child.taskId}`}
        title={[state, toldText(message)].filter(Boolean).join(': ')}
      >
        <Icon name={icon} />
        {WORDS.childTasks.item(`${itemOf(child) ?? '?'}`)}
        <span class="unseen">{` ${state}`}</span>
      </a>
    </li>
  );
}
