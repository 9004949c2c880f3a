import type { Collection } from 'mongodb';
import { type ChildCounts, countChildren, TASK_STATUS, type TaskStatus } from '#core';
import type { ChildQuery, ChildRange, ChildStore, FoundChild } from '#ports';
import { LIST_INDEXES } from './list-query.js';
import type { ServerCalls } from './server-calls.js';
import type { TaskDocument } from './task-document.js';

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
