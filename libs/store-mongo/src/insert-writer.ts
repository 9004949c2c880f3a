import type { Collection } from 'mongodb';
import type { Task } from '#core';
import type { Clock } from '#ports';
import { Batcher, type Entry } from './batcher.js';
import { toDate } from './bson-values.js';
import { DocumentRefused, isRefusal } from './failure.js';
import { Persistence, readBackRest, type Rest } from './persistence.js';
import type { StepLists } from './plan-document.js';
import type { BulkReport, ServerCalls } from './server-calls.js';
import type { Snapshots } from './snapshots.js';
import { taskToDocument, type TaskDocument } from './task-document.js';

/** Whether this call stored the task, or its id was taken. */
type Stored = { readonly kind: 'inserted' | 'present' };

type Open = Entry<TaskDocument, Stored>;

/** Where new tasks go. */
interface InsertTarget {
  readonly tasks: Collection<TaskDocument>;
  readonly lists: StepLists;
  readonly snapshots: Snapshots;
  /** The server's. */
  readonly clock: Pick<Clock, 'now'>;
}

/** Writes new tasks, many in one round trip. */
export class InsertWriter {
  private readonly batcher: Batcher<TaskDocument, Stored>;
  private readonly persistence: Persistence<TaskDocument, Stored>;

  constructor(
    private readonly target: InsertTarget,
    private readonly calls: ServerCalls,
  ) {
    this.persistence = new Persistence(calls, 'insert', (open, ms) => this.attempt(open, ms));
    const run = (entries: readonly Open[]): Promise<void> => this.persistence.settle(entries);
    this.batcher = new Batcher({ ...calls.settings, run });
  }

  /** Resolves once it is known that a task is stored under this id. */
  async insert(task: Task): Promise<Stored> {
    const mark = this.calls.settings.newMark();
    const { lists, snapshots } = this.target;
    const document = taskToDocument(task, mark, lists);
    const snapshotHash = snapshots.hashOf(task);
    return this.batcher.submit(snapshotHash === null ? document : { snapshotHash, ...document });
  }

  close(): Promise<void> {
    return this.batcher.close();
  }

  private async attempt(open: readonly Open[], ms: number): Promise<Rest<Open>> {
    // For each attempt again: what is stored late is told of late, and not passed over.
    const changedAt = toDate(this.target.clock.now());
    const operations = open.map(({ item }) => {
      return { insertOne: { document: { changedAt, ...item } } };
    });
    const report = await this.calls.write(this.target.tasks, operations, ms);
    const missed = open.filter((entry, position) => !isSettled(entry, report, position));
    return readBackRest(missed, report.cause, (entries) => this.readBack(entries, ms));
  }

  /** Settles tasks that are stored after all. */
  private async readBack(open: readonly Open[], ms: number): Promise<readonly Open[]> {
    const filter = { _id: { $in: open.map(({ item }) => item._id) } };
    const read = (): Promise<TaskDocument[]> => this.target.tasks.find(filter).toArray();
    const found = await this.calls.call('reading back inserts', read, ms);
    const byId = new Map(found.map((document) => [document._id, document]));
    return open.filter((entry) => !settleOwn(entry, byId.get(entry.item._id)));
  }
}

/** Settles what the server's answer alone decides. */
function isSettled(entry: Open, report: BulkReport, position: number): boolean {
  const code = report.errors.get(position);
  if (isRefusal(code)) {
    const { _id } = entry.item;
    entry.reject(new DocumentRefused(`Task ${_id} cannot be stored (error ${code}).`));
    return true;
  }
  if (!report.isSure || code !== undefined) return false;
  entry.resolve({ kind: 'inserted' });
  return true;
}

/**
 * A stored task of the same id was inserted by this call, or before it by a caller that asks again.
 * Of those who send one idempotency key at once, each may store its request under the key's id.
 */
function settleOwn(entry: Open, stored: TaskDocument | undefined): boolean {
  if (stored === undefined) return false;
  const { _id, flow, idempotencyKey, plan } = entry.item;
  const isSame = stored.flow === flow && stored.plan?.requestHash === plan.requestHash;
  if (isSame || idempotencyKey !== undefined) {
    const [own] = entry.item.writers;
    const isOwn = stored.writers.some((writer) => writer === own);
    entry.resolve({ kind: isOwn ? 'inserted' : 'present' });
  } else {
    entry.reject(new Error(`The task id ${_id} belongs to a different task.`));
  }
  return true;
}
