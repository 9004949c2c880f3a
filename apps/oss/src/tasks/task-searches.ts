import { Inject, Injectable } from '@nestjs/common';
import { fitsLabels, fitsPattern, plainLabels, type Principal } from '#access';
import { ALERT_FLOW, LIVE_STATUSES, statusName } from '#core';
import { isUnreadable, type ListedTask, type TaskPage, type TaskQuery } from '#ports';
import { ownersOn } from '../executors/owners-on.js';
import { namesOf, queryWithin } from '../access/narrow-query.js';
import { seesListed } from '../access/visible.js';
import { type CommonParts, type ExecutorParts, OSS_OPTIONS } from '../options.js';
import { asksForAlerts, needsStore, type TaskSearch } from '../requests/task-search.js';

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

/** A search in two parts: the query for the store, and what it cannot look for. */
export interface Narrowed {
  readonly query: TaskQuery;
  readonly texts: readonly string[];
  /** The caller, who may not see each task that the query finds. */
  readonly principal: Principal;
  /** Tasks are looked through for texts, or for patterns of labels. */
  readonly isSifted: boolean;
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

/** Intervals that one answer tells of, at most. */
const INTERVALS_MAX = 1_000;

/** Tasks that were created in one interval, as they stand now. */
interface TallyInterval {
  /** The beginning of the interval, in seconds since 1970; a multiple of its length. */
  readonly at: number;
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** How tasks are tallied. */
interface TallyOrder {
  /** `status`, `flow` or `label.<name>`. */
  readonly by: string;
  /** Also by when they were created, in intervals of so many milliseconds. Absent: not. */
  readonly everyMs?: number | undefined;
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
    const query = found && (isWhole ? found : { withoutAlerts: true as const, ...found });
    const { texts = [] } = search ?? {};
    const { labels } = principal;
    const hasPatterns = !fitsLabels(labels, plainLabels(labels));
    return query && { query, texts, principal, isSifted: texts.length > 0 || hasPatterns };
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
   * One page. It may be short, and yet not be the last one, where tasks are looked through. Once
   * `signal` is aborted, no more summaries are read for that.
   */
  async list({ query, ...told }: Narrowed, signal?: AbortSignal): Promise<TaskPage> {
    if (!told.isSifted) {
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
      const page = await store.list({ ...query, limit: PAGE, ...(cursor && { cursor }) });
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

/** Counts tasks by a value, and where it is asked for by intervals of their creation. */
class TaskTally {
  readonly #counts = new Map<string, number>();
  readonly #intervals = new Map<number, Map<string, number>>();
  #total = 0;

  constructor(private readonly order: TallyOrder) {}

  /** Takes tasks, newest first; false: there are as many intervals as one answer may have. */
  take(items: readonly ListedTask[]): boolean {
    return items.every((item) => this.#takeOne(item));
  }

  /** The counts; `intervals`, the oldest first and without empty ones, where they are asked for. */
  counts() {
    return {
      total: this.#total,
      counts: Object.fromEntries(this.#counts),
      ...(this.order.everyMs !== undefined && { intervals: this.#listIntervals() }),
    };
  }

  /** A document that cannot be read does not say when it was created. */
  #takeOne(item: ListedTask): boolean {
    const value = valueOf(item, this.order.by);
    const { everyMs } = this.order;
    if (everyMs !== undefined && !isUnreadable(item)) {
      const at = Math.floor(item.createdAt / everyMs) * everyMs;
      const interval = this.#intervals.get(at) ?? new Map<string, number>();
      if (interval.size === 0 && this.#intervals.size === INTERVALS_MAX) return false;
      this.#intervals.set(at, addTo(interval, value));
    }
    addTo(this.#counts, value);
    this.#total += 1;
    return true;
  }

  #listIntervals(): readonly TallyInterval[] {
    const sorted = [...this.#intervals].sort(([one], [other]) => one - other);
    return sorted.map(([at, counts]) => {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      return { at: at / 1_000, total, counts: Object.fromEntries(counts) };
    });
  }
}

function addTo(counts: Map<string, number>, value: string): Map<string, number> {
  return counts.set(value, (counts.get(value) ?? 0) + 1);
}

function valueOf(item: ListedTask, by: string): string {
  if (isUnreadable(item)) return 'unreadable';
  if (by === 'flow') return item.flow;
  if (by === 'status') return statusName(item.status);
  const name = by.slice('label.'.length);
  return Object.hasOwn(item.labels, name) ? (item.labels[name] ?? '') : '';
}
