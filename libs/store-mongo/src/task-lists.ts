import type { Collection, Filter } from 'mongodb';
import { type ChildCounts, countChildren, type Task, TASK_STATUS, type TaskStatus } from '#core';
import type {
  ChangeMark,
  ChangeQuery,
  ChangeStore,
  ChildQuery,
  ChildRange,
  ChildStore,
  Clock,
  FinalStore,
  FoundChild,
  ListedTask,
} from '#ports';
import { toDate, toMs } from './bson-values.js';
import { durable } from './connection.js';
import type { KeyRecords } from './key-records.js';
import { ListCheck } from './list-check.js';
import { LIST_INDEXES } from './list-query.js';
import { CHANGE_INDEX } from './migrations.js';
import type { ServerCalls } from './server-calls.js';
import { SUMMARY_FIELDS } from './summary-document.js';
import type { TaskDecoder } from './task-decoder.js';
import type { TaskDocument } from './task-document.js';

/** Where changes are found. */
interface ChangeParts {
  readonly tasks: Collection<TaskDocument>;
  readonly decoder: TaskDecoder;
  /** The server's. */
  readonly clock: Pick<Clock, 'now'>;
}

/** The order of changes: milliseconds of the server's clock, and the ids within one of them. */
export const CHANGE_ORDER = { changedAt: 1, _id: 1 } as const;

/** The filter that finds changes, by their index alone. */
export function changeFilter({ after, from }: Omit<ChangeQuery, 'limit'>): Filter<TaskDocument> {
  const first = after === undefined ? from : Math.max(from, after.at);
  const changedAt = { $gte: toDate(first) };
  if (after === undefined || after.at < from) return { changedAt };
  return {
    changedAt,
    $or: [{ changedAt: { $gt: toDate(after.at) } }, { _id: { $gt: after.taskId } }],
  };
}

/**
 * The changed tasks, by the server's clock. Writes at one moment become visible in any order; an
 * insert has the moment of its attempt, which may take as long as an answer of the server; and the
 * next primary may have a clock that is behind.
 */
export class ChangeRecords implements ChangeStore {
  readonly overlap = { near: 2_000, far: 30_000 };
  private readonly listCheck: ListCheck;

  constructor(
    private readonly parts: ChangeParts,
    private readonly calls: ServerCalls,
  ) {
    this.listCheck = new ListCheck(parts, calls);
  }

  async newest(): Promise<number> {
    return Math.floor(this.parts.clock.now());
  }

  async find({ limit, ...query }: ChangeQuery): Promise<readonly ChangeMark[]> {
    const read = (): Promise<Pick<TaskDocument, '_id' | 'changedAt'>[]> =>
      this.parts.tasks
        .find(changeFilter(query), { hint: CHANGE_INDEX, projection: { changedAt: 1 } })
        .sort(CHANGE_ORDER)
        .limit(limit)
        .toArray();
    const found = await this.calls.call('looking for changes', read);
    return found.map(({ _id, changedAt }) => ({ at: toMs(changedAt as Date), taskId: _id }));
  }

  async summaries(taskIds: readonly string[]): Promise<readonly ListedTask[]> {
    if (taskIds.length === 0) return [];
    const { decoder, tasks } = this.parts;
    const read = (): Promise<TaskDocument[]> =>
      tasks
        .find<TaskDocument>({ _id: { $in: [...taskIds] } }, { projection: SUMMARY_FIELDS })
        .toArray();
    const documents = await this.calls.call('reading what has changed', read);
    await this.listCheck.check(documents);
    return documents.map((document) => decoder.list(document));
  }
}

/** Finds child tasks by an index that has no others. */
export class ChildRecords implements ChildStore {
  constructor(
    private readonly tasks: Collection<TaskDocument>,
    private readonly calls: ServerCalls,
  ) {}

  async count({ before, from = 0, run, taskId }: ChildRange): Promise<ChildCounts> {
    const index = { $gte: from, ...(before !== undefined && { $lt: before }) };
    // With all statuses written out, the index leads to the range of each.
    const status = { $in: Object.values(TASK_STATUS) };
    const pipeline = [
      { $match: { 'parent.taskId': taskId, 'parent.run': run, status, 'parent.index': index } },
      { $group: { _id: '$status', tasks: { $sum: 1 } } },
    ];
    const options = { hint: LIST_INDEXES.parent };
    const read = (): Promise<{ _id: TaskStatus; tasks: number }[]> =>
      this.tasks.aggregate<{ _id: TaskStatus; tasks: number }>(pipeline, options).toArray();
    const groups = await this.calls.call('counting child tasks', read);
    return countChildren(groups.map(({ _id, tasks }) => [_id, tasks]));
  }

  async find({ before, limit, run, statuses, taskId }: ChildQuery): Promise<readonly FoundChild[]> {
    const filter = {
      'parent.taskId': taskId,
      'parent.run': run,
      ...(statuses === undefined ? {} : { status: { $in: [...statuses] } }),
      ...(before === undefined ? {} : { 'parent.index': { $lt: before } }),
    };
    const read = (): Promise<Pick<TaskDocument, '_id' | 'status' | 'parent'>[]> =>
      this.tasks
        .find(filter, { hint: LIST_INDEXES.parent, projection: { status: 1, parent: 1 } })
        .sort({ 'parent.index': -1 })
        .limit(limit)
        .toArray();
    const found = await this.calls.call('finding child tasks', read);
    return found.map(({ _id, parent, status }) => {
      return { taskId: _id, index: parent?.index ?? 0, status: status as TaskStatus };
    });
  }
}

/**
 * Removes final tasks: everything that belongs to one is in its document, but for the idempotency
 * key, which goes first. A key must not outlive its task: it would make a task of the same id.
 */
export class FinalRecords implements FinalStore {
  constructor(
    private readonly tasks: Collection<TaskDocument>,
    private readonly keys: Pick<KeyRecords, 'forget'>,
    private readonly calls: ServerCalls,
  ) {}

  async remove(tasks: readonly Task[]): Promise<number> {
    if (tasks.length === 0) return 0;
    await this.keys.forget(await this.unmoved(tasks.filter(hasKey)));
    const operations = tasks.map(({ plan, revision }) => {
      return { deleteOne: { filter: { _id: plan.taskId, revision } } };
    });
    const options = { ordered: false, writeConcern: durable(this.calls.settings.operationMs) };
    const result = await this.calls.call('removing tasks', () => {
      return this.tasks.bulkWrite(operations, options);
    });
    return result.deletedCount;
  }

  async findPresent(taskIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (taskIds.length === 0) return new Set();
    const read = (): Promise<{ _id: string }[]> =>
      this.tasks.find({ _id: { $in: [...taskIds] } }, { projection: { _id: 1 } }).toArray();
    const found = await this.calls.call('looking for tasks', read);
    return new Set(found.map(({ _id }) => _id));
  }

  /** Those that are stored as they are given. */
  private async unmoved(tasks: readonly Task[]): Promise<readonly Task[]> {
    if (tasks.length === 0) return tasks;
    const filter = { $or: tasks.map(({ plan, revision }) => ({ _id: plan.taskId, revision })) };
    const read = (): Promise<{ _id: string }[]> =>
      this.tasks.find(filter, { projection: { _id: 1 } }).toArray();
    const ids = new Set((await this.calls.call('reading revisions', read)).map(({ _id }) => _id));
    return tasks.filter(({ plan }) => ids.has(plan.taskId));
  }
}

function hasKey({ plan }: Task): boolean {
  return plan.idempotencyKey !== null;
}
