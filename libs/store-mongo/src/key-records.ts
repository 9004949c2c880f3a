import type { Collection } from 'mongodb';
import type { Task } from '#core';
import { Batcher, type Entry } from './batcher.js';
import { toSafe } from './bson-values.js';
import { durable } from './connection.js';
import { Persistence, readBackRest, type Rest } from './persistence.js';
import type { ServerCalls } from './server-calls.js';

/** Which task an idempotency key belongs to. */
export interface KeyDocument {
  /** The key, in a form that the server keeps. */
  readonly _id: string;
  readonly taskId: string;
}

type Open = Entry<KeyDocument, string>;

/**
 * Keeps idempotency keys, each as the id of a document of its own, so that the collection of tasks
 * has no unique index but on its ids and may be sharded by them. A key does not make the id of its
 * task: once retention has removed a task, its key makes another one, and marks of barriers, child
 * tasks and messages of the former must not be taken for those of the new one.
 */
export class KeyRecords {
  private readonly batcher: Batcher<KeyDocument, string>;
  private readonly persistence: Persistence<KeyDocument, string>;

  constructor(
    private readonly keys: Collection<KeyDocument>,
    private readonly calls: ServerCalls,
  ) {
    this.persistence = new Persistence(calls, 'claim of a key', (open, ms) => {
      return this.attempt(open, ms);
    });
    const run = (entries: readonly Open[]): Promise<void> => this.persistence.settle(entries);
    this.batcher = new Batcher({ ...calls.settings, run });
  }

  /**
   * Gives the key to the task with this id, unless another one has it. Resolves to the id of the
   * task that has it now, which may not be stored yet.
   */
  claim(key: string, taskId: string): Promise<string> {
    return this.batcher.submit({ _id: toSafe(key), taskId });
  }

  /** The id of the task that has the key, or null. */
  async find(key: string): Promise<string | null> {
    const read = (): Promise<KeyDocument | null> => this.keys.findOne({ _id: toSafe(key) });
    return (await this.calls.call('finding a key', read))?.taskId ?? null;
  }

  /** Forgets the keys of these tasks. */
  async forget(tasks: readonly Task[]): Promise<void> {
    const operations = tasks.flatMap(({ plan: { idempotencyKey: key, taskId } }) => {
      return key === null ? [] : [{ deleteOne: { filter: { _id: toSafe(key), taskId } } }];
    });
    if (operations.length === 0) return;
    const options = { ordered: false, writeConcern: durable(this.calls.settings.operationMs) };
    await this.calls.call('forgetting keys', () => this.keys.bulkWrite(operations, options));
  }

  close(): Promise<void> {
    return this.batcher.close();
  }

  private async attempt(open: readonly Open[], ms: number): Promise<Rest<Open>> {
    const operations = open.map(({ item: document }) => ({ insertOne: { document } }));
    const report = await this.calls.write(this.keys, operations, ms);
    const missed = open.filter(({ item, resolve }, position) => {
      if (!report.isSure || report.errors.has(position)) return true;
      resolve(item.taskId);
      return false;
    });
    return readBackRest(missed, report.cause, (entries) => this.readBack(entries, ms));
  }

  /** Settles those whose key a task has by now, this one or another. */
  private async readBack(open: readonly Open[], ms: number): Promise<readonly Open[]> {
    const filter = { _id: { $in: open.map(({ item }) => item._id) } };
    const read = (): Promise<KeyDocument[]> => this.keys.find(filter).toArray();
    const found = await this.calls.call('reading back keys', read, ms);
    const holders = new Map(found.map(({ _id, taskId }) => [_id, taskId]));
    return open.filter(({ item, resolve }) => {
      const holder = holders.get(item._id);
      if (holder !== undefined) resolve(holder);
      return holder === undefined;
    });
  }
}
