import { Inject, Injectable } from '@nestjs/common';
import { fitsPattern, type Principal } from '#access';
import { ALERT_FLOW, LIVE_STATUSES } from '#core';
import { isUnreadable, type ListedTask, type TaskPage, type TaskQuery } from '#ports';
import { ownersOn } from '../executors/owners-on.js';
import { namesOf, queryWithin } from '../access/narrow-query.js';
import { seesListed } from '../access/visible.js';
import { type CommonParts, type ExecutorParts, OSS_OPTIONS } from '../options.js';
import { asksForAlerts, needsStore, type TaskSearch } from '../requests/task-search.js';
import { type TallyInterval, type TallyOrder, TaskTally } from './task-tally.js';

/** Summaries that one request for texts looks at, at most. */
const LOOKED_AT_MAX = 2_000;
/** Tasks that are counted one by one in one request, at most. */
const COUNTED_MAX = 20_000;
const PAGE = 200;

/** The caller of a search, and its time. */
interface Searcher {
  readonly principal: Principal;
  /** From when ages are counted, in milliseconds since 1970; absent: from now. */
  readonly now?: number;
  /** Alert tasks are among the others, though nobody asks for them by name. */
  readonly withAlerts?: true;
}

/** A search in two parts: the query for the store, and texts that it cannot look for. */
export interface Narrowed {
  readonly query: TaskQuery;
  readonly texts: readonly string[];
  /** The caller, who sees every task that the query finds, except those that cannot be read. */
  readonly principal: Principal;
}

/** How many tasks there are of each value. */
export interface TaskCounts {
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  /** The same by when tasks were created, where that is asked for. */
  readonly intervals?: readonly TallyInterval[];
  /** All that fit were counted; else only so many of the newest. */
  readonly isComplete: boolean;
}

/** How tasks are counted. */
interface CountOrder extends TallyOrder {
  /** Time after which no further page is looked at. Default: none. */
  readonly mostMs?: number;
  /** Once it is aborted, no further page is looked at. */
  readonly signal: AbortSignal;
}

/**
 * Finds and counts tasks by more than the store knows an index for. Its work is bounded: names of
 * flows and states narrow what the store looks at, and texts are looked for in so many summaries.
 */
@Injectable()
export class TaskSearches {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & Pick<ExecutorParts, 'sessions'>,
  ) {}

  /** The search, narrowed to tasks that the caller may see; null: no task can fit. */
  async narrow(
    asked: TaskQuery,
    search: TaskSearch | undefined,
    { now = this.options.clock.now(), principal, withAlerts }: Searcher,
  ): Promise<Narrowed | null> {
    const wanted = search === undefined ? asked : await this.within(asked, search, now);
    const found = wanted && (await queryWithin(wanted, principal, this.options));
    const isWhole = withAlerts === true || asksForAlerts(asked, search);
    const query = found && (isWhole ? found : { ...found, withoutAlerts: true as const });
    return query && { query, texts: search?.texts ?? [], principal };
  }

  private async within(
    asked: TaskQuery,
    search: TaskSearch,
    now: number,
  ): Promise<TaskQuery | null> {
    const statuses = common([
      ...search.statuses,
      ...(asked.statuses ? [asked.statuses] : []),
      ...(needsStore(search) ? [LIVE_STATUSES] : []),
    ]);
    const labels = new Map(Object.entries(asked.labels ?? {}));
    for (const [name, value] of search.labels) {
      if ((labels.get(name) ?? value) !== value) return null;
      labels.set(name, value);
    }
    const flows = search.flows.length === 0 ? null : await this.flowsOf(search, asked.flow);
    if (statuses?.length === 0 || flows?.length === 0) return null;
    const { executors, origin, terms } = search;
    const owners = executors && (await ownersOn(executors, this.options.sessions));
    const after = [asked.createdAfter, ...search.youngerThanMs.map((ms) => now - ms)];
    const before = [asked.createdBefore, ...search.olderThanMs.map((ms) => now - ms)];
    const times = {
      createdAfter: Math.max(...after.map((at) => at ?? -Infinity)),
      createdBefore: Math.min(...before.map((at) => at ?? Infinity)),
    };
    return {
      ...asked,
      ...(statuses !== null && { statuses }),
      ...(flows !== null && { flows }),
      ...(search.isTopLevel && { isTopLevel: true as const }),
      ...(search.waitsForPerson && { waitsForPerson: true as const }),
      ...(terms.length > 0 && { terms }),
      ...(owners !== null && { owners }),
      ...(labels.size > 0 && { labels: Object.fromEntries(labels) }),
      ...(Object.keys(origin).length > 0 && { origin }),
      ...(Number.isFinite(times.createdAfter) && { createdAfter: times.createdAfter }),
      ...(Number.isFinite(times.createdBefore) && { createdBefore: times.createdBefore }),
    };
  }

  /** The flows there are, or were, that fit: the store finds those by an index. */
  private async flowsOf(search: TaskSearch, only: string | undefined): Promise<string[]> {
    const own = asksForAlerts({}, search) ? [ALERT_FLOW] : [];
    const names = [...(await namesOf(this.options)), ...own];
    const fits = (name: string): boolean => {
      return search.flows.every((patterns) =>
        patterns.some((pattern) => fitsPattern(pattern, name)),
      );
    };
    return names.filter((name) => fits(name) && (only ?? name) === name);
  }

  /**
   * One page. It may be short, and yet not be the last one, where texts are looked for. Once
   * `signal` is aborted, no more summaries are read for them.
   */
  async list({ query, ...told }: Narrowed, signal?: AbortSignal): Promise<TaskPage> {
    if (told.texts.length === 0) {
      const page = await this.options.store.list(query);
      return { ...page, items: page.items.filter((item) => isTold(item, told)) };
    }
    const items: ListedTask[] = [];
    let { cursor } = query;
    let looked = 0;
    do {
      const limit = Math.min(PAGE, query.limit - items.length);
      const page = await this.options.store.list({ ...query, limit, ...(cursor && { cursor }) });
      items.push(...page.items.filter((item) => isTold(item, told)));
      looked += page.items.length;
      cursor = page.nextCursor ?? undefined;
      if (signal?.aborted === true) break;
    } while (cursor !== undefined && looked < LOOKED_AT_MAX && items.length < query.limit);
    return { items, nextCursor: cursor ?? null };
  }

  /**
   * Counts tasks by their status, their flow, or the value of a label; those that were looked at
   * after so many milliseconds are all that are counted.
   */
  async count({ query, ...told }: Narrowed, order: CountOrder): Promise<TaskCounts> {
    const tally = new TaskTally(order);
    let looked = 0;
    let hasRoom = true;
    let { cursor } = query;
    const { clock, store } = this.options;
    const since = clock.monotonic();
    const { mostMs = Infinity, signal } = order;
    const goesOn = (): boolean => {
      return looked < COUNTED_MAX && clock.monotonic() - since < mostMs && !signal.aborted;
    };
    do {
      const page = await store.list({
        ...query,
        limit: PAGE,
        ...(cursor && { cursor }),
      });
      hasRoom = tally.take(page.items.filter((item) => isTold(item, told)));
      looked += page.items.length;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && hasRoom && goesOn());
    return { ...tally.counts(), isComplete: cursor === undefined && hasRoom };
  }
}

/** The items that all of these lists have; null: there is no list. */
function common<T>(lists: readonly (readonly T[])[]): readonly T[] | null {
  const [first, ...rest] = lists;
  if (first === undefined) return null;
  return [...new Set(first)].filter((one) => rest.every((list) => list.includes(one)));
}

/** Whether an entry that a query has found is for this caller, and has the texts. */
function isTold(item: ListedTask, { principal, texts }: Omit<Narrowed, 'query'>): boolean {
  if (!seesListed(principal, item)) return false;
  const message = (isUnreadable(item) ? item.reason : (item.message ?? '')).toLowerCase();
  return texts.every((text) => message.includes(text));
}
