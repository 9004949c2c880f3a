import type { Collection, DeleteResult, Filter, Sort } from 'mongodb';
import { readSchedule, type RecordForm, type RecordReader } from '#ports';
import type { ScheduleQuery, ScheduleRecord, ScheduleStore, ScheduleVersion } from '#ports';
import { fromSafe, toDate, toSafe } from './bson-values.js';
import { durable } from './connection.js';
import { unlessDuplicate } from './failure.js';
import type { ServerCalls } from './server-calls.js';

/** A schedule as stored. */
export interface ScheduleDocument {
  /** Its name. */
  readonly _id: string;
  readonly id: string;
  readonly revision: number;
  /** Absent: nothing comes by itself. */
  readonly dueAt?: Date;
  /** All of it, as JSON text. */
  readonly record: string;
}

const FORM: RecordForm<ScheduleDocument, ScheduleRecord> = {
  kind: 'schedule',
  idOf: ({ _id }) => fromSafe(_id),
  decode: ({ _id, record }) => readSchedule(record, fromSafe(_id)),
};

/** Keeps schedules. */
export class ScheduleRecords implements ScheduleStore {
  constructor(
    private readonly schedules: Collection<ScheduleDocument>,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
  ) {}

  async find(name: string): Promise<ScheduleRecord | null> {
    const read = (): Promise<ScheduleDocument | null> =>
      this.schedules.findOne({ _id: toSafe(name) });
    const found = await this.calls.call('reading a schedule', read);
    if (found !== null) return this.records.one(found, FORM);
    this.records.clear('schedule', name);
    return null;
  }

  async save(next: ScheduleRecord, previous: ScheduleVersion | null): Promise<boolean> {
    const document = documentOf(next);
    const options = { writeConcern: this.durable };
    if (previous === null) {
      const insert = (): Promise<boolean> =>
        this.schedules.insertOne(document, options).then(() => true, unlessDuplicate);
      return this.calls.call('storing a schedule', insert);
    }
    const { _id, ...rest } = document;
    const filter = filterOf(next.name, previous);
    const replace = (): Promise<{ matchedCount: number }> =>
      this.schedules.replaceOne(filter, rest, options);
    return (await this.calls.call('storing a schedule', replace)).matchedCount === 1;
  }

  async remove(name: string, previous: ScheduleVersion): Promise<boolean> {
    const options = { writeConcern: this.durable };
    const filter = filterOf(name, previous);
    const write = (): Promise<DeleteResult> => this.schedules.deleteOne(filter, options);
    return (await this.calls.call('removing a schedule', write)).deletedCount === 1;
  }

  findDue(now: number, limit: number): Promise<readonly ScheduleRecord[]> {
    return this.read({ dueAt: { $lte: toDate(now) } }, { dueAt: 1, _id: 1 }, limit);
  }

  list({ after = '', limit }: ScheduleQuery): Promise<readonly ScheduleRecord[]> {
    return this.read({ _id: { $gt: toSafe(after) } }, { _id: 1 }, limit);
  }

  private read(
    filter: Filter<ScheduleDocument>,
    order: Sort,
    most: number,
  ): Promise<readonly ScheduleRecord[]> {
    const read = (limit: number, skip: number): Promise<ScheduleDocument[]> =>
      this.calls.call('reading schedules', () =>
        this.schedules.find(filter).sort(order).skip(skip).limit(limit).toArray(),
      );
    return this.records.page(most, read, FORM);
  }

  private get durable(): ReturnType<typeof durable> {
    return durable(this.calls.settings.operationMs);
  }
}

function filterOf(
  name: string,
  { id, revision }: ScheduleVersion,
): Pick<ScheduleDocument, '_id' | 'id' | 'revision'> {
  return { _id: toSafe(name), id, revision };
}

function documentOf(record: ScheduleRecord): ScheduleDocument {
  const { dueAt, id, name, revision } = record;
  const due = dueAt === null ? {} : { dueAt: toDate(dueAt) };
  return { _id: toSafe(name), id, revision, ...due, record: JSON.stringify(record) };
}
