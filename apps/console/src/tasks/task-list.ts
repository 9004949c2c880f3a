import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { changeFeed } from '../api/change-feed.js';
import { api, type Page } from '../api/client.js';
import { isForGood } from '../api/exchange.js';
import type { Summary, Unreadable } from '../api/shapes.js';
import { pause } from '../browser/clock.js';
import { type Polled, usePaced } from '../ui/polled.js';
import { fitsMembers, isOldestFirst, type Members, type News, withNews } from './list-news.js';

/** An entry of a list of tasks. */
export type Item = Summary | Unreadable;

/** A list that follows what happens at its top and grows at its end. */
export interface TaskList extends Omit<Polled<readonly Item[]>, 'value'> {
  readonly items: readonly Item[] | null;
  readonly hasMore: boolean;
  readonly more: () => void;
}

const NONE: readonly Item[] = [];
const PAGE = 50;
const MOST = 200;
const EVERY_MS = 2_000;

/** While changes are told; what was missed all the same is seen then. */
const LIVE_EVERY_MS = 60_000;
/** While tasks of the list say how far they are, which no change tells. */
const MOVING_EVERY_MS = 5_000;
/** How often the server is asked whether tasks that changed belong to the list. */
const WISH_MS = 1_000;

/** Changes that are kept until the list is asked for again. */
const NEWS_MAX = 500;

/** A list of tasks to which pages were added. */
interface Grown {
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

interface Leaving {
  /** The list as it is shown. */
  readonly shown: Grown;
  /** The query of its first page. */
  readonly query: URLSearchParams;
  /** Takes the list as the server has it now. */
  readonly take: (list: Grown) => void;
}

/** The tasks that fit, newest first, as they are now: at first so many of them. */
export function useTaskList(members: Members, first = PAGE): TaskList {
  const key = JSON.stringify(members);
  const [grown, setGrown] = useState<Grown>(() => {
    return leftList(key) ?? { key, items: NONE, cursor: undefined };
  });
  const own = grown.key === key ? grown : { key, items: NONE, cursor: undefined };
  // Tasks added by paging are refreshed too, as far as one request reaches.
  const limit = Math.min(MOST, first + own.items.length);
  const news = useNews(key, members);
  const ask = async (signal: AbortSignal): Promise<Page<Item>> => {
    const seen = news.begin();
    const page = await api.tasks(queryOf(members, `${limit}`), signal);
    news.answered(seen);
    return page;
  };
  const merge = isOldestFirst(members) ? mergedUpward : merged;
  const top = usePacedList(key, ask, news);
  const cursor = own.cursor === undefined ? (top.value?.page.nextCursor ?? null) : own.cursor;
  const isBusy = useRef(false);
  const more = useCallback(() => {
    if (cursor === null || isBusy.current) return;
    isBusy.current = true;
    const query = queryOf(members, `${MOST}`);
    query.set('cursor', cursor);
    const items = merge(top.value?.items ?? [], own.items);
    const add = async (): Promise<void> => {
      try {
        const page = await api.tasks(query);
        setGrown({ key, items: merge(items, page.items), cursor: page.page.nextCursor });
      } catch (error) {
        // Away: what is at the end of the list asks again.
        if (isForGood(error)) setGrown({ key, items, cursor: null });
      } finally {
        isBusy.current = false;
      }
    };
    void add();
  }, [cursor, key, own.items, top.value]);
  const hasMore = cursor !== null;
  const asked = useMemo(() => {
    if (top.value !== null) return merge(top.value.items, own.items);
    return own.items.length > 0 ? own.items : null;
  }, [top.value, own.items]);
  const take = (list: Grown): void => setGrown((now) => (now.key === list.key ? list : now));
  const shown = { key, items: asked ?? NONE, cursor: own.cursor };
  useLeftList({ shown, take, query: queryOf(members, `${MOST}`) });
  const items = asked && withNews(asked, news.changed, { hasMore, members });
  return { items, isAway: top.isAway, refusal: top.refusal, hasMore, more };
}

/** Asks as often as the list needs: changes are told, but not how far tasks are. */
function usePacedList(
  key: string,
  ask: (signal: AbortSignal) => Promise<Page<Item>>,
  { isLive, wish }: Pick<ListNews, 'isLive' | 'wish'>,
): Polled<Page<Item>> {
  const [isMoving, setMoving] = useState(false);
  const liveMs = isMoving ? MOVING_EVERY_MS : LIVE_EVERY_MS;
  const top = usePaced(key, ask, { everyMs: isLive ? liveMs : EVERY_MS, wish });
  useEffect(() => {
    setMoving((top.value?.items ?? NONE).some((item) => 'progress' in item));
  }, [top.value]);
  return top;
}

interface ListNews {
  readonly isLive: boolean;
  /** Another number: somebody has to ask now. */
  readonly wish: number;
  readonly changed: ReadonlyMap<string, News>;
  /** A request begins; returns what to hand to `answered`. */
  readonly begin: () => number;
  /** Its answer has every change from before it began. */
  readonly answered: (seen: number) => void;
}

interface NewsState {
  readonly key: string;
  readonly changed: ReadonlyMap<string, News>;
}

/** The changes that the stream tells, until the list is asked for again. */
function useNews(key: string, members: Members): ListNews {
  const [isLive, setLive] = useState(false);
  const [wish, setWish] = useState(0);
  const [state, set] = useState<NewsState>({ key, changed: new Map() });
  const count = useRef(0);
  const latest = useRef(members);
  latest.current = members;
  useEffect(() => {
    const controller = new AbortController();
    let wishes = 0;
    const wishSoon = async (): Promise<void> => {
      wishes += 1;
      // The one that waits asks again for all that come meanwhile.
      if (wishes > 1) return;
      for (let heard = 0; heard < wishes && !controller.signal.aborted;) {
        heard = wishes;
        setWish((before) => before + 1);
        await pause(WISH_MS, controller.signal);
      }
      wishes = 0;
    };
    const onChanges = (items: readonly Item[]): void => {
      const told = items.map((item) => ({ item, at: (count.current += 1) }));
      set((before) => ({
        key,
        changed: withItems(before.key === key ? before.changed : [], told),
      }));
      const isOpen = items.some((item) => fitsMembers(item, latest.current) === null);
      if (isOpen) void wishSoon();
    };
    const stop = changeFeed.listen({ onLive: setLive, onChanges });
    return () => {
      controller.abort();
      stop();
    };
  }, [key]);
  return {
    isLive,
    wish,
    changed: state.key === key ? state.changed : new Map(),
    begin: () => count.current,
    answered: (seen) => {
      set((before) => ({
        ...before,
        changed: new Map([...before.changed].filter(([, { at }]) => at > seen)),
      }));
    },
  };
}

function withItems(
  before: Iterable<readonly [string, News]>,
  told: readonly News[],
): ReadonlyMap<string, News> {
  const changed = new Map(before);
  for (const news of told) {
    // The latest changes are kept longest.
    changed.delete(news.item.taskId);
    changed.set(news.item.taskId, news);
  }
  return new Map([...changed].slice(-NEWS_MAX));
}

/** Calls when what the reader scrolls to comes near. */
export function useNear(call: () => void): { readonly current: HTMLDivElement | null } {
  const ref = useRef<HTMLDivElement>(null);
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    if (ref.current === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting === true && latest.current(),
      { rootMargin: '600px' },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  });
  return ref;
}

function queryOf(members: readonly (readonly [string, string])[], limit: string): URLSearchParams {
  const query = new URLSearchParams(members.map(([name, value]) => [name, value]));
  query.set('limit', limit);
  return query;
}

/** The fresher ones first; ids of tasks are in the order of their creation. */
function merged(fresh: readonly Item[], older: readonly Item[]): readonly Item[] {
  const known = new Set(fresh.map(({ taskId }) => taskId));
  const last = fresh.at(-1)?.taskId ?? '';
  // A task that should stand among the fresh ones and does not, no longer fits the search.
  const rest = older.filter(({ taskId }) => !known.has(taskId) && taskId < last);
  return [...fresh, ...rest];
}

/** The same for a list that begins with its oldest task. */
function mergedUpward(fresh: readonly Item[], older: readonly Item[]): readonly Item[] {
  const known = new Set(fresh.map(({ taskId }) => taskId));
  const last = fresh.at(-1)?.taskId ?? '';
  return [...fresh, ...older.filter(({ taskId }) => !known.has(taskId) && taskId > last)];
}

/** The list that was left last, if it is the one for this search. */
function leftList(key: string): Grown | null {
  return left?.key === key && left.items.length > 0 ? left : null;
}

/**
 * Keeps a list to which pages were added when its page goes away. One that was kept is shown again
 * at once, and asked for again: its tasks have moved on meanwhile.
 */
function useLeftList({ query, shown, take }: Leaving): void {
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
