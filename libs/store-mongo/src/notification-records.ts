import type { Collection, DeleteResult } from 'mongodb';
import { readNotification, type RecordForm, type RecordReader } from '#ports';
import type {
  NotificationQuery,
  NotificationRecord,
  NotificationStore,
  NotificationVersion,
} from '#ports';
import { fromSafe, toSafe } from './bson-values.js';
import { durable } from './connection.js';
import { unlessDuplicate } from './failure.js';
import { besideItself, type NamedDocument, versionFilter } from './named-document.js';
import type { ServerCalls } from './server-calls.js';

/** A rule as stored. */
export type NotificationDocument = NamedDocument;

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

const FORM: RecordForm<NotificationDocument, NotificationRecord> = {
  kind: 'notification',
  idOf: ({ _id }) => fromSafe(_id),
  decode: (document) => {
    return besideItself(readNotification(document.record, fromSafe(document._id)), document);
  },
};

/** Keeps rules of notifications. */
export class NotificationRecords implements NotificationStore {
  constructor(
    private readonly collections: NotificationCollections,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
  ) {}

  async find(name: string): Promise<NotificationRecord | null> {
    const read = (): Promise<NotificationDocument | null> =>
      this.collections.rules.findOne({ _id: toSafe(name) });
    const found = await this.calls.call('reading a notification', read);
    return this.records.found(found, name, FORM);
  }

  save(next: NotificationRecord, previous: NotificationVersion | null): Promise<boolean> {
    return this.records.clearAfter('notification', next.name, this.write(next, previous));
  }

  private async write(
    next: NotificationRecord,
    previous: NotificationVersion | null,
  ): Promise<boolean> {
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
      rules.replaceOne(versionFilter(name, previous), rest, options);
    return (await this.calls.call('storing a notification', replace)).matchedCount === 1;
  }

  async remove(name: string, previous: NotificationVersion): Promise<boolean> {
    const options = { writeConcern: this.durable };
    const write = (): Promise<DeleteResult> =>
      this.collections.rules.deleteOne(versionFilter(name, previous), options);
    const isRemoved = (await this.calls.call('removing a notification', write)).deletedCount === 1;
    if (isRemoved) this.records.clear('notification', name);
    return isRemoved;
  }

  list({ after = '', limit: most }: NotificationQuery): Promise<readonly NotificationRecord[]> {
    const filter = { _id: { $gt: toSafe(after) } };
    const read = (limit: number, skip: number): Promise<NotificationDocument[]> =>
      this.calls.call('listing notifications', () =>
        this.collections.rules.find(filter).sort({ _id: 1 }).skip(skip).limit(limit).toArray(),
      );
    return this.records.page(most, read, FORM);
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
        // Another process began at the same moment.
        .catch(unlessDuplicate);
    await this.calls.call('moving a position', write);
  }

  private get durable(): ReturnType<typeof durable> {
    return durable(this.calls.settings.operationMs);
  }
}
