import type { Collection, DeleteResult } from 'mongodb';
import type { ScheduleQuery, ScheduleRecord, ScheduleStore, ScheduleVersion } from '#ports';
import { toDate, toSafe } from './bson-values.js';
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

/** Keeps schedules. */
export class ScheduleRecords implements ScheduleStore {
  constructor(
    private readonly schedules: Collection<ScheduleDocument>,
    private readonly calls: ServerCalls,
  ) {}

  async find(name: string): Promise<ScheduleRecord | null> {
    const read = (): Promise<ScheduleDocument | null> =>
      this.schedules.findOne({ _id: toSafe(name) });
    const found = await this.calls.call('reading a schedule', read);
    return found === null ? null : recordOf(found);
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

  async findDue(now: number, limit: number): Promise<readonly ScheduleRecord[]> {
    const read = (): Promise<ScheduleDocument[]> =>
      this.schedules
        .find({ dueAt: { $lte: toDate(now) } })
        .sort({ dueAt: 1, _id: 1 })
        .limit(limit)
        .toArray();
    return (await this.calls.call('looking for due schedules', read)).map(recordOf);
  }

  async list({ after = '', limit }: ScheduleQuery): Promise<readonly ScheduleRecord[]> {
    const read = (): Promise<ScheduleDocument[]> =>
      this.schedules
        .find({ _id: { $gt: toSafe(after) } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
    return (await this.calls.call('listing schedules', read)).map(recordOf);
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

function recordOf({ record }: ScheduleDocument): ScheduleRecord {
  return JSON.parse(record) as ScheduleRecord;
}
