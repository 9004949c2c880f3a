import type { Collection, Document, Filter } from 'mongodb';
import { ALERT_FLOW, ALERT_RUN, LIVE_STATUSES, statusName, type Task } from '#core';
import { isInShare, PAGE_CHARACTERS, TaskUnreadable } from '#ports';
import type {
  DueRange,
  HeldPage,
  HeldQuery,
  TaskFilter,
  TaskPage,
  TaskQuery,
  WalkedTask,
} from '#ports';
import { Batcher, type Entry } from './batcher.js';
import { toDate } from './bson-values.js';
import { ListCheck } from './list-check.js';
import { cursorAfter, LIST_INDEXES, planList } from './list-query.js';
import { OWNER_INDEX } from './migrations.js';
import { readSome } from './read-some.js';
import type { ServerCalls } from './server-calls.js';
import { SUMMARY_FIELDS } from './summary-document.js';
import type { TaskDecoder } from './task-decoder.js';
import type { TaskDocument } from './task-document.js';

/** Where tasks are read from. */
interface ReadSource {
  readonly tasks: Collection<TaskDocument>;
  readonly decoder: TaskDecoder;
}

/** Due ids that are looked at, as a multiple of what was asked for, so that loops seldom meet. */
const DUE_SPREAD = 8;

/** Most documents of one stretch of a walk. */
const WALK_MAX = 200;

/** Fewest due ids that are looked at. */
const DUE_PAGE_MIN = 256;

/** Counts live tasks by the index on status alone: no document is read, no finished task is met. */
export const LIVE_COUNT: Document[] = [
  { $match: { status: { $in: LIVE_STATUSES } } },
  { $group: { _id: '$status', tasks: { $sum: 1 } } },
];

/** Counts the alert tasks among them. */
const LIVE_ALERTS: Document[] = [
  { $match: { flow: ALERT_FLOW, status: { $in: LIVE_STATUSES }, 'parent.run': ALERT_RUN } },
  { $group: { _id: '$status', tasks: { $sum: 1 } } },
];

/** Tasks that a gateway must look at now. */
export function dueFilter(now: number): { wakeAt: { $lte: Date } } {
  return { wakeAt: { $lte: toDate(now) } };
}

/** Live tasks of a flow that are nobody's child tasks. */
export function startedFilter(flow: string): Filter<TaskDocument> {
  return { flow, status: { $in: [...LIVE_STATUSES] }, parent: { $exists: false } };
}

/**
 * The longest overdue first. One index alone has this filter and this order, so the server needs
 * no hint to find it; some servers read an index from its start where they are given one.
 */
export const DUE_ORDER = { wakeAt: 1, _id: 1 } as const;

/** Reads tasks. */
export class TaskReader {
  private readonly batcher: Batcher<string, Task | null>;
  private readonly listCheck: ListCheck;

  constructor(
    private readonly source: ReadSource,
    private readonly calls: ServerCalls,
  ) {
    const run = (entries: readonly Entry<string, Task | null>[]): Promise<void> =>
      this.getMany(entries);
    this.batcher = new Batcher({ ...calls.settings, run });
    this.listCheck = new ListCheck(source, calls);
  }

  get(taskId: string): Promise<Task | null> {
    return this.batcher.submit(taskId);
  }

  close(): Promise<void> {
    return this.batcher.close();
  }

  /**
   * The most overdue ones are among the ids looked at, so that nothing waits for ever. Each round
   * puts aside what it could not read, and what was put aside lately is not looked at.
   */
  async findDue(now: number, limit: number, range: DueRange): Promise<readonly Task[]> {
    const found: Task[] = [];
    for (let left = limit; left > 0; left = limit - found.length) {
      const due = await this.readDue(now, left, { ...range, without: found });
      const tasks = due.map((document) => this.source.decoder.decode(document));
      for (const task of tasks) if (!(task instanceof TaskUnreadable)) found.push(task);
      if (tasks.every((task) => !(task instanceof TaskUnreadable))) break;
    }
    return found;
  }

  private async readDue(
    now: number,
    limit: number,
    { share, skip = 0, without }: DueRange & { readonly without: readonly Task[] },
  ): Promise<readonly TaskDocument[]> {
    const { decoder, tasks } = this.source;
    const page = Math.max(DUE_PAGE_MIN, limit * DUE_SPREAD);
    const isDue = dueFilter(now);
    const aside = [...decoder.putAsideLately(), ...without.map(({ plan }) => plan.taskId)];
    const filter = aside.length === 0 ? isDue : { ...isDue, _id: { $nin: aside } };
    const readIds = (): Promise<Pick<TaskDocument, '_id' | 'wakeAt'>[]> =>
      tasks
        .find(filter, { projection: { wakeAt: 1 } })
        .sort(DUE_ORDER)
        .skip(skip)
        .limit(page)
        .toArray();
    const found = await this.calls.call('finding due tasks', readIds);
    // The index has all of this: a task that others look at costs no more than its entry.
    const own = found.filter(({ _id, wakeAt }) => isInShare(_id, Number(wakeAt), share));
    const ids = own.map(({ _id }) => _id);
    const chosen = stretchOf(ids, limit, this.calls.settings.random());
    if (chosen.length === 0) return [];
    const read = (): Promise<TaskDocument[]> =>
      tasks.find({ _id: { $in: [...chosen] }, ...isDue }).toArray();
    return this.calls.call('reading due tasks', read);
  }

  async list(query: TaskQuery): Promise<TaskPage> {
    const { filter, hint, order } = planList(query);
    const { decoder, tasks } = this.source;
    const read = (): Promise<TaskDocument[]> =>
      tasks
        .find<TaskDocument>(filter, { hint, projection: SUMMARY_FIELDS })
        .sort(order)
        .limit(query.limit + 1)
        .toArray();
    const documents = await this.calls.call('listing tasks', read);
    const shown = documents.slice(0, Math.min(query.limit, countWithin(documents)));
    await this.listCheck.check(shown);
    const last = documents.length > shown.length ? shown.at(-1) : undefined;
    const nextCursor = last === undefined ? null : cursorAfter(last);
    return { items: shown.map((document) => decoder.list(document)), nextCursor };
  }

  /** Each stretch is a query of its own, so that a reader may take its time. */
  async *walk(filter: TaskFilter): AsyncGenerator<WalkedTask> {
    const { decoder, tasks } = this.source;
    let rest: TaskFilter | null = filter;
    while (rest !== null) {
      const plan = planList(rest);
      const documents = await readSome(this.calls, () =>
        tasks.find(plan.filter, { hint: plan.hint }).sort(plan.order).limit(WALK_MAX),
      );
      const stretch = documents.map((document): WalkedTask => {
        const read = decoder.decode(document);
        const cursor = cursorAfter(document);
        if (!(read instanceof TaskUnreadable)) return { item: read, cursor };
        return { item: { taskId: read.taskId, reason: read.reason }, cursor };
      });
      yield* stretch;
      const last = stretch.at(-1);
      rest = last === undefined ? null : { ...filter, cursor: last.cursor };
    }
  }

  async countLive(): Promise<Readonly<Record<string, number>>> {
    const [all, alerts] = await Promise.all([LIVE_COUNT, LIVE_ALERTS].map((of) => this.count(of)));
    const live = LIVE_STATUSES.map((status) => {
      const count = (all?.get(status) ?? 0) - (alerts?.get(status) ?? 0);
      // One may have begun, or ended, between the two.
      return [statusName(status), Math.max(0, count)];
    });
    return { ...Object.fromEntries(live), unreadable: this.source.decoder.unreadable };
  }

  private async count(stages: Document[]): Promise<ReadonlyMap<number, number>> {
    const read = (): Promise<{ _id: number; tasks: number }[]> =>
      this.source.tasks.aggregate<{ _id: number; tasks: number }>(stages).toArray();
    const groups = await this.calls.call('counting live tasks', read);
    return new Map(groups.map(({ _id, tasks }) => [_id, tasks]));
  }

  countStarted(flow: string, limit: number): Promise<number> {
    const filter = startedFilter(flow);
    const options = { hint: LIST_INDEXES.flowStatus, limit };
    const read = (): Promise<number> => this.source.tasks.countDocuments(filter, options);
    return this.calls.call('counting started tasks', read);
  }

  /** The index has the holders of live actions alone, and few of them. */
  async findHeld(session: string, { after, limit }: HeldQuery): Promise<HeldPage> {
    const { decoder, tasks } = this.source;
    const filter = { owners: session, ...(after === undefined ? {} : { _id: { $gt: after } }) };
    const documents = await readSome(this.calls, () =>
      // Left alone, the planner may go through all tasks for the order.
      tasks.find(filter, { hint: OWNER_INDEX }).sort({ _id: 1 }).limit(limit),
    );
    const read = documents.map((document) => decoder.decode(document));
    const found = read.filter((task): task is Task => !(task instanceof TaskUnreadable));
    return { tasks: found, next: documents.at(-1)?._id ?? null };
  }

  async readRevisions(taskIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (taskIds.length === 0) return new Map();
    const { tasks } = this.source;
    const filter = { _id: { $in: [...taskIds] } };
    const read = (): Promise<Pick<TaskDocument, '_id' | 'revision'>[]> =>
      tasks.find(filter, { projection: { revision: 1 } }).toArray();
    const documents = await this.calls.call('reading revisions', read);
    return new Map(documents.map(({ _id, revision }) => [_id, revision]));
  }

  private async getMany(entries: readonly Entry<string, Task | null>[]): Promise<void> {
    const ids = [...new Set(entries.map(({ item }) => item))];
    const read = (): Promise<TaskDocument[]> =>
      this.source.tasks.find({ _id: { $in: ids } }).toArray();
    const documents = await this.calls.call('reading tasks', read);
    const byId = new Map(documents.map((document) => [document._id, document]));
    const tasks = new Map<string, Task>();
    for (const { item, resolve, reject } of entries) {
      try {
        resolve(this.taskOf(item, byId, tasks));
      } catch (error) {
        reject(error);
      }
    }
  }

  private taskOf(
    taskId: string,
    documents: ReadonlyMap<string, TaskDocument>,
    tasks: Map<string, Task>,
  ): Task | null {
    const known = tasks.get(taskId);
    if (known !== undefined) return known;
    const document = documents.get(taskId);
    if (document === undefined) return null;
    const task = readable(this.source.decoder.decode(document));
    tasks.set(taskId, task);
    return task;
  }
}

/** The task; throws where it is none. */
function readable(task: Task | TaskUnreadable): Task {
  if (task instanceof TaskUnreadable) throw task;
  return task;
}

/** How many of these summaries fit a page. */
function countWithin(documents: readonly TaskDocument[]): number {
  let left = PAGE_CHARACTERS;
  let count = 0;
  for (const { labels, message } of documents) {
    if (left <= 0) break;
    left -= JSON.stringify([labels, message]).length + 200;
    count += 1;
  }
  return count;
}

/** Up to `limit` ids in a row, from a random one on, past the end on from the start. */
function stretchOf(ids: readonly string[], limit: number, random: number): readonly string[] {
  if (ids.length <= limit) return ids;
  const start = Math.floor(random * ids.length);
  return [...ids.slice(start), ...ids.slice(0, start)].slice(0, limit);
}
