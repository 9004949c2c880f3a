import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Summary, Unreadable } from '../api/shapes.js';

/** A list of tasks to which pages were added. */
export interface Grown {
  /** The search. */
  readonly key: string;
  readonly items: readonly (Summary | Unreadable)[];
  /** Where the page after these begins; null: there is none; undefined: no page was added yet. */
  readonly cursor: string | null | undefined;
}

const PAGE_MAX = 200;
/** Tasks that are asked for again at most, when a reader comes back. */
const AGAIN_MAX = 2_000;

let left: Grown | null = null;

/** The list that was left last, if it is the one for this search. */
export function leftList(key: string): Grown | null {
  return left?.key === key && left.items.length > 0 ? left : null;
}

interface Leaving {
  /** The list as it is shown. */
  readonly shown: Grown;
  /** The query of its first page. */
  readonly query: URLSearchParams;
  /** Takes the list as the server has it now. */
  readonly take: (list: Grown) => void;
}

/**
 * Keeps a list to which pages were added when its page goes away. One that was kept is shown again
 * at once, and asked for again: its tasks have moved on meanwhile.
 */
export function useLeftList({ query, shown, take }: Leaving): void {
  const latest = useRef(shown);
  latest.current = shown;
  useEffect(() => {
    const controller = new AbortController();
    const found = leftList(shown.key);
    left = null;
    if (found !== null) void askAgain(found, query, controller.signal).then(take, () => {});
    return () => {
      controller.abort();
      if (latest.current.cursor !== undefined) left = latest.current;
    };
  }, []);
}

async function askAgain(
  { items, key }: Grown,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<Grown> {
  const found: Grown['items'][number][] = [];
  let cursor: string | null = null;
  do {
    const asked = new URLSearchParams(query);
    asked.set('limit', `${PAGE_MAX}`);
    if (cursor !== null) asked.set('cursor', cursor);
    const page = await api.tasks(asked, signal);
    found.push(...page.items);
    cursor = page.page.nextCursor;
  } while (cursor !== null && found.length < Math.min(items.length, AGAIN_MAX));
  return { key, items: found, cursor };
}
