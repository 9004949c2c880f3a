import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { api, Refused } from '../api/client.js';
import type { Summary, Unreadable } from '../api/shapes.js';
import { type Polled, usePolled } from '../ui/polled.js';

/** An entry of a list of tasks. */
export type Item = Summary | Unreadable;

/** A list that follows what happens at its top and grows at its end. */
export interface TaskList extends Omit<Polled<readonly Item[]>, 'value'> {
  readonly items: readonly Item[] | null;
  readonly hasMore: boolean;
  readonly more: () => void;
}

const PAGE = 50;
const MOST = 200;
const EVERY_MS = 2_000;

interface Grown {
  readonly key: string;
  readonly items: readonly Item[];
  /** Where the page after these begins; null: there is none; undefined: no page was added yet. */
  readonly cursor: string | null | undefined;
}

/** The tasks that fit, newest first, as they are now. */
export function useTaskList(members: readonly (readonly [string, string])[]): TaskList {
  const key = JSON.stringify(members);
  const [grown, setGrown] = useState<Grown>({ key, items: [], cursor: undefined });
  const own = grown.key === key ? grown : { key, items: [], cursor: undefined };
  // Tasks added by paging are refreshed too, as far as one request reaches.
  const limit = Math.min(MOST, PAGE + own.items.length);
  const top = usePolled(key, (signal) => api.tasks(queryOf(members, `${limit}`), signal), EVERY_MS);
  const cursor = own.cursor === undefined ? (top.value?.page.nextCursor ?? null) : own.cursor;
  const isBusy = useRef(false);
  const more = useCallback(() => {
    if (cursor === null || isBusy.current) return;
    isBusy.current = true;
    const query = queryOf(members, `${PAGE}`);
    query.set('cursor', cursor);
    const items = merged(top.value?.items ?? [], own.items);
    const add = async (): Promise<void> => {
      try {
        const page = await api.tasks(query);
        setGrown({ key, items: merged(items, page.items), cursor: page.page.nextCursor });
      } catch (error) {
        // Away: what is at the end of the list asks again.
        if (error instanceof Refused) setGrown({ key, items, cursor: null });
      } finally {
        isBusy.current = false;
      }
    };
    void add();
  }, [cursor, key, own.items, top.value]);
  const items = top.value === null ? null : merged(top.value.items, own.items);
  return { items, isAway: top.isAway, refusal: top.refusal, hasMore: cursor !== null, more };
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
