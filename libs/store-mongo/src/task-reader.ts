import type { Collection, Document } from 'mongodb';
import { LIVE_STATUSES, statusName, type Task } from '#core';
import type { TaskPage, TaskQuery } from '#ports';
import { Batcher, type Entry } from './batcher.js';
import { toDate, toSafe } from './bson-values.js';
import { cursorAfter, LIST_ORDER, planList } from './list-query.js';
import type { StepLists } from './plan-document.js';
import type { ServerCalls } from './server-calls.js';
import { documentToTask, type TaskDocument } from './task-document.js';

/** Where tasks are read from. */
export interface ReadSource {
  readonly tasks: Collection<TaskDocument>;
  readonly lists: StepLists;
}

/** Due ids that are looked at, as a multiple of what was asked for, so that loops seldom meet. */
const DUE_SPREAD = 8;

/** Format of the documents that this process can move. */
const FORMAT = 1;

/** Fewest due ids that are looked at. */
const DUE_PAGE_MIN = 256;

/** Counts live tasks by the index on status alone: no document is read, no finished task is met. */
export const LIVE_COUNT: Document[] = [
  { $match: { status: { $in: LIVE_STATUSES } } },
  { $group: { _id: '$status', tasks: { $sum: 1 } } },
];

/** Tasks that somebody must look at now. */
export function dueFilter(now: number): { wakeAt: { $lte: Date } } {
  return { wakeAt: { $lte: toDate(now) } };
}

/**
 * The longest overdue first. One index alone has this filter and this order, so the server needs
 * no hint to find it; some servers read an index from its start where they are given one.
 */
export const DUE_ORDER = { wakeAt: 1, _id: 1 } as const;

/** Reads tasks. */
export class TaskReader {
  private readonly batcher: Batcher<string, Task | null>;

  constructor(
    private readonly source: ReadSource,
    private readonly calls: ServerCalls,
  ) {
    const run = (entries: readonly Entry<string, Task | null>[]): Promise<void> =>
      this.getMany(entries);
    this.batcher = new Batcher({ ...calls.settings, run });
  }

  get(taskId: string): Promise<Task | null> {
    return this.batcher.submit(taskId);
  }

  async findByKey(idempotencyKey: string): Promise<Task | null> {
    const filter = { idempotencyKey: toSafe(idempotencyKey) };
    const read = (): Promise<TaskDocument | null> => this.source.tasks.findOne(filter);
    const document = await this.calls.call('finding the task of a key', read);
    return document === null ? null : documentToTask(document, this.source.lists);
  }

  close(): Promise<void> {
    return this.batcher.close();
  }

  /**
   * The most overdue ones are among the ids looked at, so that nothing waits for ever. Tasks of a
   * format that a newer process wrote are left to it.
   */
  async findDue(now: number, limit: number, skip: number): Promise<readonly Task[]> {
    const page = Math.max(DUE_PAGE_MIN, limit * DUE_SPREAD);
    const isDue = dueFilter(now);
    const readIds = (): Promise<{ _id: string }[]> =>
      this.source.tasks
        .find(isDue, { projection: { _id: 1 } })
        .sort(DUE_ORDER)
        .skip(skip)
        .limit(page)
        .toArray();
    const ids = (await this.calls.call('finding due tasks', readIds)).map(({ _id }) => _id);
    const chosen = stretchOf(ids, limit, this.calls.settings.random());
    if (chosen.length === 0) return [];
    const read = (): Promise<TaskDocument[]> =>
      this.source.tasks.find({ _id: { $in: [...chosen] }, ...isDue, 'plan.v': FORMAT }).toArray();
    return this.toTasks(await this.calls.call('reading due tasks', read));
  }

  async list(query: TaskQuery): Promise<TaskPage> {
    const { filter, hint } = planList(query);
    const read = (): Promise<TaskDocument[]> =>
      this.source.tasks
        .find(filter, { hint })
        .sort(LIST_ORDER)
        .limit(query.limit + 1)
        .toArray();
    const documents = await this.calls.call('listing tasks', read);
    const shown = documents.slice(0, query.limit);
    const last = documents.length > query.limit ? shown.at(-1) : undefined;
    const nextCursor = last === undefined ? null : cursorAfter(last);
    return { items: this.toTasks(shown), nextCursor };
  }

  async countLive(): Promise<Readonly<Record<string, number>>> {
    const read = (): Promise<{ _id: number; tasks: number }[]> =>
      this.source.tasks.aggregate<{ _id: number; tasks: number }>(LIVE_COUNT).toArray();
    const groups = await this.calls.call('counting live tasks', read);
    const counts = new Map(groups.map(({ _id, tasks }) => [_id, tasks]));
    return Object.fromEntries(
      LIVE_STATUSES.map((status) => [statusName(status), counts.get(status) ?? 0]),
    );
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
    const task = documentToTask(document, this.source.lists);
    tasks.set(taskId, task);
    return task;
  }

  private toTasks(documents: readonly TaskDocument[]): readonly Task[] {
    return documents.map((document) => documentToTask(document, this.source.lists));
  }
}

/** Up to `limit` ids in a row, from a random one on, past the end on from the start. */
function stretchOf(ids: readonly string[], limit: number, random: number): readonly string[] {
  if (ids.length <= limit) return ids;
  const start = Math.floor(random * ids.length);
  return [...ids.slice(start), ...ids.slice(0, start)].slice(0, limit);
}
