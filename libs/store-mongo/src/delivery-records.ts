import type { Collection, Filter, Sort } from 'mongodb';
import { readDelivery, type RecordForm, type RecordReader } from '#ports';
import type { DeliveryQuery, DeliveryRecord, DeliveryStore } from '#ports';
import { fromSafe, toDate, toSafe } from './bson-values.js';
import { durable } from './connection.js';
import { dueAsBeside } from './due-member.js';
import { unlessDuplicate } from './failure.js';
import type { ServerCalls } from './server-calls.js';

/** A message as stored. */
export interface DeliveryDocument {
  readonly _id: string;
  readonly revision: number;
  readonly rule: string;
  readonly ruleId: string;
  readonly subject: string;
  readonly createdAt: Date;
  /** Absent: it is done with. */
  readonly dueAt?: Date;
  /** Absent: what it tells of is over. */
  readonly isOpen?: true;
  /** All of it, as JSON text. */
  readonly record: string;
}

const FORM: RecordForm<DeliveryDocument, DeliveryRecord> = {
  kind: 'delivery',
  idOf: ({ _id }) => fromSafe(_id),
  decode: ({ _id, dueAt, record }) => dueAsBeside(readDelivery(record, fromSafe(_id)), { dueAt }),
};

/** Most that are told about one subject. */
const ABOUT_MAX = 20;

/** Messages that one pruning removes at most; the next one goes on. */
const PRUNE_MAX = 1_000;

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

/** Keeps messages of notifications. */
export class DeliveryRecords implements DeliveryStore {
  constructor(
    private readonly deliveries: Collection<DeliveryDocument>,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
  ) {}

  async find(id: string): Promise<DeliveryRecord | null> {
    const read = (): Promise<DeliveryDocument | null> =>
      this.deliveries.findOne({ _id: toSafe(id) });
    const found = await this.calls.call('reading a delivery', read);
    return this.records.found(found, id, FORM);
  }

  add(delivery: DeliveryRecord): Promise<boolean> {
    const options = { writeConcern: this.durable };
    const insert = (): Promise<boolean> =>
      this.deliveries.insertOne(documentOf(delivery), options).then(() => true, unlessDuplicate);
    return this.calls.call('storing a delivery', insert);
  }

  async save(next: DeliveryRecord): Promise<boolean> {
    const { _id, ...rest } = documentOf(next);
    const options = { writeConcern: this.durable };
    const filter = { _id, revision: next.revision - 1 };
    const replace = (): Promise<{ matchedCount: number }> =>
      this.deliveries.replaceOne(filter, rest, options);
    const isStored = (await this.calls.call('storing a delivery', replace)).matchedCount === 1;
    if (isStored) this.records.clear('delivery', next.id);
    return isStored;
  }

  findDue(now: number, limit: number): Promise<readonly DeliveryRecord[]> {
    return this.read({ dueAt: { $lte: toDate(now) } }, { dueAt: 1, _id: 1 }, limit);
  }

  async findOpen(subjects: readonly string[]): Promise<readonly DeliveryRecord[]> {
    if (subjects.length === 0) return [];
    const filter = { subject: { $in: subjects.map(toSafe) }, isOpen: true as const };
    const read = (): Promise<DeliveryDocument[]> =>
      this.deliveries.find(filter).sort({ _id: 1 }).toArray();
    return this.records.all(await this.calls.call('reading deliveries', read), FORM);
  }

  list({ after, limit, rule }: DeliveryQuery): Promise<readonly DeliveryRecord[]> {
    const own = { rule: toSafe(rule) };
    if (after === undefined) return this.read(own, NEWEST_FIRST, limit);
    const at = toDate(after.createdAt);
    const behind = [{ createdAt: { $lt: at } }, { _id: { $lt: toSafe(after.id) } }];
    const filter = { ...own, createdAt: { $lte: at }, $or: behind };
    return this.read(filter, NEWEST_FIRST, limit);
  }

  about(ruleId: string, subject: string): Promise<readonly DeliveryRecord[]> {
    const filter = { subject: toSafe(subject), ruleId: toSafe(ruleId) };
    return this.read(filter, NEWEST_FIRST, ABOUT_MAX);
  }

  async prune(rule: string, kept: number): Promise<void> {
    const find = (): Promise<Pick<DeliveryDocument, '_id'>[]> =>
      this.deliveries
        .find({ rule: toSafe(rule) }, { projection: { _id: 1 } })
        .sort(NEWEST_FIRST)
        .skip(kept)
        .limit(PRUNE_MAX)
        .toArray();
    const ids = (await this.calls.call('looking for old deliveries', find)).map(({ _id }) => _id);
    if (ids.length === 0) return;
    const options = { writeConcern: this.durable };
    const remove = (): Promise<unknown> =>
      this.deliveries.deleteMany({ _id: { $in: ids } }, options);
    await this.calls.call('removing deliveries', remove);
    for (const _id of ids) this.records.clear('delivery', fromSafe(_id));
  }

  private read(
    filter: Filter<DeliveryDocument>,
    order: Sort,
    most: number,
  ): Promise<readonly DeliveryRecord[]> {
    const read = (limit: number, skip: number): Promise<DeliveryDocument[]> =>
      this.calls.call('reading deliveries', () =>
        this.deliveries.find(filter).sort(order).skip(skip).limit(limit).toArray(),
      );
    return this.records.page(most, read, FORM);
  }

  private get durable(): ReturnType<typeof durable> {
    return durable(this.calls.settings.operationMs);
  }
}

function documentOf(delivery: DeliveryRecord): DeliveryDocument {
  const { createdAt, dueAt, id, isOpen, revision, rule, ruleId, subject } = delivery;
  return {
    _id: toSafe(id),
    revision,
    rule: toSafe(rule),
    ruleId: toSafe(ruleId),
    subject: toSafe(subject),
    createdAt: toDate(createdAt),
    ...(dueAt === null ? {} : { dueAt: toDate(dueAt) }),
    ...(isOpen && { isOpen }),
    record: JSON.stringify(delivery),
  };
}
