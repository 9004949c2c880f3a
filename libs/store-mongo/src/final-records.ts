import type { Collection } from 'mongodb';
import type { Task } from '#core';
import type { FinalStore } from '#ports';
import { durable } from './connection.js';
import type { KeyRecords } from './key-records.js';
import type { ServerCalls } from './server-calls.js';
import type { TaskDocument } from './task-document.js';

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
