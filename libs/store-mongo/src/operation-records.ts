import { type Collection, type Filter, type InsertOneResult, MongoServerError } from 'mongodb';
import type { CommitResult, OperationQuery, OperationRecord, OperationStore } from '#ports';
import { toDate } from './bson-values.js';
import { durable } from './connection.js';
import { DUPLICATE_KEY } from './failure.js';
import type { ServerCalls } from './server-calls.js';

/** An operation as stored: what it is looked for by, and all of it as opaque text. */
export interface OperationDocument {
  /** The operation's id. */
  readonly _id: string;
  readonly createdAt: Date;
  readonly revision: number;
  /** For people who look with the shell. */
  readonly status: string;
  /** Absent once it has ended. */
  readonly dueAt?: Date;
  /** Absent until it has ended. */
  readonly endedAt?: Date;
  readonly record: string;
}

/** Keeps operations. Every change is one conditional write of one document. */
export class OperationRecords implements OperationStore {
  constructor(
    private readonly operations: Collection<OperationDocument>,
    private readonly calls: ServerCalls,
  ) {}

  /** A repetition by the driver finds what the first try stored: it is told by its text. */
  async addOperation(record: OperationRecord): Promise<boolean> {
    const document = toDocument(record);
    const write = (): Promise<InsertOneResult | null> =>
      this.operations.insertOne(document, { writeConcern: this.durable }).catch(nullWhereDuplicate);
    if ((await this.calls.call('storing an operation', write)) !== null) return true;
    return (await this.read(record.operationId))?.record === document.record;
  }

  async findOperation(operationId: string): Promise<OperationRecord | null> {
    const found = await this.read(operationId);
    return found === null ? null : toRecord(found);
  }

  /** The same holds here: who carries it out, and until when, differ from everybody else's. */
  async commitOperation(next: OperationRecord): Promise<CommitResult> {
    const { operationId: _id, revision } = next;
    const document = toDocument(next);
    const filter = { _id, revision: revision - 1 };
    const options = { writeConcern: this.durable };
    const write = async (): Promise<number> =>
      (await this.operations.replaceOne(filter, document, options)).matchedCount;
    if ((await this.calls.call('writing an operation', write)) === 1) return 'committed';
    return (await this.read(_id))?.record === document.record ? 'committed' : 'conflict';
  }

  listOperations({ beyond, limit }: OperationQuery): Promise<readonly OperationRecord[]> {
    return this.find(beyond === undefined ? {} : behind(beyond), { createdAt: -1, _id: -1 }, limit);
  }

  findDueOperations(now: number, limit: number): Promise<readonly OperationRecord[]> {
    return this.find({ dueAt: { $lte: toDate(now) } }, { dueAt: 1 }, limit);
  }

  /** Few of those that began before then have not ended: the index by time bounds the work. */
  async removeOperations(endedBefore: number, limit: number): Promise<number> {
    const at = toDate(endedBefore);
    const old: Filter<OperationDocument> = { createdAt: { $lte: at }, endedAt: { $lte: at } };
    const look = (): Promise<Pick<OperationDocument, '_id'>[]> =>
      this.operations
        .find(old, { projection: { _id: 1 } })
        .sort({ createdAt: 1, _id: 1 })
        .limit(limit)
        .toArray();
    const ids = (await this.calls.call('looking for old operations', look)).map(({ _id }) => _id);
    if (ids.length === 0) return 0;
    const options = { writeConcern: this.durable };
    const remove = async (): Promise<number> =>
      (await this.operations.deleteMany({ _id: { $in: ids } }, options)).deletedCount;
    return this.calls.call('removing operations', remove);
  }

  private async find(
    filter: Filter<OperationDocument>,
    order: Readonly<Record<string, 1 | -1>>,
    limit: number,
  ): Promise<readonly OperationRecord[]> {
    const read = (): Promise<OperationDocument[]> =>
      this.operations
        .find(filter)
        .sort({ ...order })
        .limit(limit)
        .toArray();
    return (await this.calls.call('listing operations', read)).map(toRecord);
  }

  private read(operationId: string): Promise<OperationDocument | null> {
    const read = (): Promise<OperationDocument | null> =>
      this.operations.findOne({ _id: operationId });
    return this.calls.call('reading an operation', read);
  }

  private get durable(): ReturnType<typeof durable> {
    return durable(this.calls.settings.operationMs);
  }
}

type Place = NonNullable<OperationQuery['beyond']>;

function behind({ createdAt, operationId }: Place): Filter<OperationDocument> {
  const at = toDate(createdAt);
  return { $or: [{ createdAt: { $lt: at } }, { createdAt: at, _id: { $lt: operationId } }] };
}

function toDocument(record: OperationRecord): OperationDocument {
  const { createdAt, dueAt, endedAt, operationId, revision, status } = record;
  return {
    _id: operationId,
    createdAt: toDate(createdAt),
    revision,
    status,
    ...(dueAt !== null && { dueAt: toDate(dueAt) }),
    ...(endedAt !== null && { endedAt: toDate(endedAt) }),
    record: JSON.stringify(record),
  };
}

function toRecord({ record }: OperationDocument): OperationRecord {
  return JSON.parse(record) as OperationRecord;
}

function nullWhereDuplicate(error: unknown): null {
  if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return null;
  throw error;
}
