import { type Collection, type Filter, type InsertOneResult } from 'mongodb';
import { MongoServerError, type Sort } from 'mongodb';
import { readOperation, type RecordForm, type RecordReader } from '#ports';
import type { CommitResult, OperationQuery, OperationRecord, OperationStore } from '#ports';
import { toDate } from './bson-values.js';
import { durable } from './connection.js';
import { dueAsBeside } from './due-member.js';
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

const FORM: RecordForm<OperationDocument, OperationRecord> = {
  kind: 'operation',
  idOf: ({ _id }) => _id,
  decode: ({ _id, dueAt, record }) => dueAsBeside(readOperation(record, _id), { dueAt }),
};

/** Keeps operations. Every change is one conditional write of one document. */
export class OperationRecords implements OperationStore {
  constructor(
    private readonly operations: Collection<OperationDocument>,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
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
    return this.records.found(found, operationId, FORM);
  }

  /** The same holds here: who carries it out, and until when, differ from everybody else's. */
  async commitOperation(next: OperationRecord): Promise<CommitResult> {
    const { operationId: _id, revision } = next;
    const document = toDocument(next);
    const filter = { _id, revision: revision - 1 };
    const options = { writeConcern: this.durable };
    const write = async (): Promise<number> =>
      (await this.operations.replaceOne(filter, document, options)).matchedCount;
    const isWritten = (await this.calls.call('writing an operation', write)) === 1;
    if (isWritten) this.records.clear('operation', _id);
    if (isWritten) return 'committed';
    return (await this.read(_id))?.record === document.record ? 'committed' : 'conflict';
  }

  listOperations({ beyond, limit }: OperationQuery): Promise<readonly OperationRecord[]> {
    return this.find(beyond === undefined ? {} : behind(beyond), { createdAt: -1, _id: -1 }, limit);
  }

  findDueOperations(now: number, limit: number): Promise<readonly OperationRecord[]> {
    return this.find({ dueAt: { $lte: toDate(now) } }, { dueAt: 1, _id: 1 }, limit);
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
    const count = await this.calls.call('removing operations', remove);
    for (const id of ids) this.records.clear('operation', id);
    return count;
  }

  private find(
    filter: Filter<OperationDocument>,
    order: Sort,
    most: number,
  ): Promise<readonly OperationRecord[]> {
    const read = (limit: number, skip: number): Promise<OperationDocument[]> =>
      this.calls.call('listing operations', () =>
        this.operations.find(filter).sort(order).skip(skip).limit(limit).toArray(),
      );
    return this.records.page(most, read, FORM);
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

function nullWhereDuplicate(error: unknown): null {
  if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return null;
  throw error;
}
