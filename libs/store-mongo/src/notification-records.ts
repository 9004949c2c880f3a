import type { Collection, DeleteResult } from 'mongodb';
import type {
  NotificationQuery,
  NotificationRecord,
  NotificationStore,
  NotificationVersion,
} from '#ports';
import { toSafe } from './bson-values.js';
import { durable } from './connection.js';
import { unlessDuplicate } from './failure.js';
import type { ServerCalls } from './server-calls.js';

/** A rule as stored. */
export interface NotificationDocument {
  /** Its name. */
  readonly _id: string;
  readonly id: string;
  readonly revision: number;
  /** All of it, as JSON text. */
  readonly record: string;
}

/** Up to where the rules were looked at. */
export interface PositionDocument {
  readonly _id: string;
  readonly position: number;
}

const POSITION = 'tasks';

/** Where rules, and how far they are, are kept. */
interface NotificationCollections {
  readonly rules: Collection<NotificationDocument>;
  readonly positions: Collection<PositionDocument>;
}

/** Keeps rules of notifications. */
export class NotificationRecords implements NotificationStore {
  constructor(
    private readonly collections: NotificationCollections,
    private readonly calls: ServerCalls,
  ) {}

  async find(name: string): Promise<NotificationRecord | null> {
    const read = (): Promise<NotificationDocument | null> =>
      this.collections.rules.findOne({ _id: toSafe(name) });
    const found = await this.calls.call('reading a notification', read);
    return found === null ? null : recordOf(found);
  }

  async save(next: NotificationRecord, previous: NotificationVersion | null): Promise<boolean> {
    const { rules } = this.collections;
    const { id, name, revision } = next;
    const rest = { id, revision, record: JSON.stringify(next) };
    const options = { writeConcern: this.durable };
    if (previous === null) {
      const insert = (): Promise<boolean> =>
        rules.insertOne({ _id: toSafe(name), ...rest }, options).then(() => true, unlessDuplicate);
      return this.calls.call('storing a notification', insert);
    }
    const replace = (): Promise<{ matchedCount: number }> =>
      rules.replaceOne(filterOf(name, previous), rest, options);
    return (await this.calls.call('storing a notification', replace)).matchedCount === 1;
  }

  async remove(name: string, previous: NotificationVersion): Promise<boolean> {
    const options = { writeConcern: this.durable };
    const write = (): Promise<DeleteResult> =>
      this.collections.rules.deleteOne(filterOf(name, previous), options);
    return (await this.calls.call('removing a notification', write)).deletedCount === 1;
  }

  async list({ after = '', limit }: NotificationQuery): Promise<readonly NotificationRecord[]> {
    const read = (): Promise<NotificationDocument[]> =>
      this.collections.rules
        .find({ _id: { $gt: toSafe(after) } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
    return (await this.calls.call('listing notifications', read)).map(recordOf);
  }

  async position(): Promise<number> {
    const read = (): Promise<PositionDocument | null> =>
      this.collections.positions.findOne({ _id: POSITION });
    return (await this.calls.call('reading a position', read))?.position ?? 0;
  }

  async moveTo(position: number): Promise<void> {
    const options = { upsert: true, writeConcern: this.durable };
    const write = (): Promise<unknown> =>
      this.collections.positions
        .updateOne({ _id: POSITION }, { $max: { position } }, options)
        // Somebody else began at the same moment.
        .catch(unlessDuplicate);
    await this.calls.call('moving a position', write);
  }

  private get durable(): ReturnType<typeof durable> {
    return durable(this.calls.settings.operationMs);
  }
}

function filterOf(
  name: string,
  { id, revision }: NotificationVersion,
): Pick<NotificationDocument, '_id' | 'id' | 'revision'> {
  return { _id: toSafe(name), id, revision };
}

function recordOf({ record }: NotificationDocument): NotificationRecord {
  return JSON.parse(record) as NotificationRecord;
}
