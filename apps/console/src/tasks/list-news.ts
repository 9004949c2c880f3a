import type { Summary, Unreadable } from '../api/shapes.js';

type Item = Summary | Unreadable;

/** The search for what waits for a person. */
export const WAITS = 'waits:person';

/** The search for tasks that are no child tasks. */
const TOP_LEVEL = 'parent:none';

/** Members of a search, as they stand in the address of a list. */
export type Members = readonly (readonly [name: string, value: string])[];

/** A task that changed since a list was asked for, and the place of that among all changes. */
export interface News {
  readonly item: Item;
  readonly at: number;
}

/**
 * Whether a task belongs to a list; null: that is for the server to say, which knows the whole
 * grammar of searches.
 */
export function fitsMembers(item: Item, members: Members): boolean | null {
  let isKnown = true;
  for (const [name, value] of members) {
    const fits = fitsMember(item, name, value);
    if (fits === false) return false;
    if (fits === null) isKnown = false;
  }
  return isKnown ? true : null;
}

function fitsMember(item: Item, name: string, value: string): boolean | null {
  if (name === 'status') return value.split(',').includes(item.status);
  if (name === 'q' && value === WAITS) return waitsForPerson(item);
  if (name === 'q' && value === TOP_LEVEL) return 'parent' in item ? item.parent === null : null;
  if (name === 'order') return true;
  if (name === 'flow') return 'flow' in item && item.flow === value;
  return null;
}

const HELD: ReadonlySet<string> = new Set(['rollback_failed', 'on_hold']);

function waitsForPerson(item: Item): boolean {
  return HELD.has(item.status) || ('approvals' in item && item.approvals.length > 0);
}

/** Whether a list begins with its oldest task. */
export function isOldestFirst(members: Members): boolean {
  return members.some(([name, value]) => name === 'order' && value === 'oldest');
}

/** A list with the tasks that have changed since, in its order. */
export function withNews(
  items: readonly Item[],
  news: ReadonlyMap<string, News>,
  { hasMore, members }: { readonly hasMore: boolean; readonly members: Members },
): readonly Item[] {
  if (news.size === 0) return items;
  const isAscending = isOldestFirst(members);
  const known = new Set(items.map(({ taskId }) => taskId));
  const last = items.at(-1)?.taskId ?? '';
  const kept = items.flatMap((item) => {
    const changed = news.get(item.taskId)?.item;
    if (changed === undefined) return [item];
    // Where the server has to say whether it still fits, it stays until the server does.
    return fitsMembers(changed, members) === false ? [] : [withProgress(changed, item)];
  });
  const added = [...news.values()].flatMap(({ item }) => {
    // Behind the end of what is shown there are others that nobody has asked for yet.
    const isShown = !hasMore || (isAscending ? item.taskId < last : item.taskId > last);
    const isNew = !known.has(item.taskId) && isShown;
    return isNew && fitsMembers(item, members) === true ? [item] : [];
  });
  if (added.length === 0) return kept;
  const sorted = [...kept, ...added].toSorted((a, b) => (a.taskId < b.taskId ? 1 : -1));
  return isAscending ? sorted.toReversed() : sorted;
}

/** A change does not tell how far a task is: that stays as it was until the list says so again. */
function withProgress(changed: Item, before: Item): Item {
  if (!('flow' in changed && 'flow' in before) || before.progress === undefined) return changed;
  return changed.status === before.status ? { ...changed, progress: before.progress } : changed;
}
