import type { Collection, DeleteResult, Filter, Sort } from 'mongodb';
import { readSchedule, type RecordForm, type RecordReader } from '#ports';
import type { ScheduleQuery, ScheduleRecord, ScheduleStore, ScheduleVersion } from '#ports';
import { fromSafe, toDate, toSafe } from './bson-values.js';
import { durable } from './connection.js';
import { dueAsBeside } from './due-member.js';
import { unlessDuplicate } from './failure.js';
import { besideItself, type NamedDocument, versionFilter } from './named-document.js';
import type { ServerCalls } from './server-calls.js';

/** A schedule as stored. */
export interface ScheduleDocument extends NamedDocument {
  /** Absent: nothing comes by itself. */
  readonly dueAt?: Date;
}

const FORM: RecordForm<ScheduleDocument, ScheduleRecord> = {
  kind: 'schedule',
  idOf: ({ _id }) => fromSafe(_id),
  decode: (document) => {
    const { _id, record } = document;
    return dueAsBeside(besideItself(readSchedule(record, fromSafe(_id)), document), document);
  },
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
    return this.records.found(found, name, FORM);
  }

  save(next: ScheduleRecord, previous: ScheduleVersion | null): Promise<boolean> {
    return this.records.clearAfter('schedule', next.name, this.write(next, previous));
  }

  private async write(next: ScheduleRecord, previous: ScheduleVersion | null): Promise<boolean> {
    const document = documentOf(next);
    const options = { writeConcern: this.durable };
    if (previous === null) {
      const insert = (): Promise<boolean> =>
        this.schedules.insertOne(document, options).then(() => true, unlessDuplicate);
      return this.calls.call('storing a schedule', insert);
    }
    const { _id, ...rest } = document;
    const filter = versionFilter(next.name, previous);
    const replace = (): Promise<{ matchedCount: number }> =>
      this.schedules.replaceOne(filter, rest, options);
    return (await this.calls.call('storing a schedule', replace)).matchedCount === 1;
  }

  async remove(name: string, previous: ScheduleVersion): Promise<boolean> {
    const options = { writeConcern: this.durable };
    const filter = versionFilter(name, previous);
    const write = (): Promise<DeleteResult> => this.schedules.deleteOne(filter, options);
    const isRemoved = (await this.calls.call('removing a schedule', write)).deletedCount === 1;
    if (isRemoved) this.records.clear('schedule', name);
    return isRemoved;
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

function documentOf(record: ScheduleRecord): ScheduleDocument {
  const { dueAt, id, name, revision } = record;
  const due = dueAt === null ? {} : { dueAt: toDate(dueAt) };
  return { _id: toSafe(name), id, revision, ...due, record: JSON.stringify(record) };
}
