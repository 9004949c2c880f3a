import { readNotification, type RecordForm, type RecordReader } from '#ports';
import type {
  NotificationQuery,
  NotificationRecord,
  NotificationStore,
  NotificationVersion,
} from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import type { NotificationChange, NotificationsAsked } from './notification-cells.js';
import type { WorkerLink } from './worker-link.js';

type Stored = readonly [name: string, record: unknown];

const FORM: RecordForm<Stored, NotificationRecord> = {
  kind: 'notification',
  idOf: ([name]) => fromColumn(name),
  decode: ([name, text]) => readNotification(text, fromColumn(name)),
};

/** Rules of notifications, in the file of the store. */
export class SqliteNotifications implements NotificationStore {
  readonly #link: WorkerLink;
  readonly #records: RecordReader;

  constructor(link: WorkerLink, records: RecordReader) {
    this.#link = link;
    this.#records = records;
  }

  async find(name: string): Promise<NotificationRecord | null> {
    const [found] = await this.#ask<readonly Stored[]>(['one', toColumn(name)]);
    return found === undefined ? null : this.#records.one(found, FORM);
  }

  save(next: NotificationRecord, previous: NotificationVersion | null): Promise<boolean> {
    const tag = previous && tagOf(previous);
    return this.#change(['put', toColumn(next.name), tag, tagOf(next), JSON.stringify(next)]);
  }

  remove(name: string, previous: NotificationVersion): Promise<boolean> {
    return this.#change(['remove', toColumn(name), tagOf(previous)]);
  }

  list({ after = '', limit }: NotificationQuery): Promise<readonly NotificationRecord[]> {
    const read = (most: number, skip: number): Promise<readonly Stored[]> =>
      this.#ask(['names', toColumn(after), most, skip]);
    return this.#records.page(limit, read, FORM);
  }

  async position(): Promise<number> {
    const rows = await this.#ask<readonly (readonly [number])[]>(['position']);
    return rows[0]?.[0] ?? 0;
  }

  async moveTo(position: number): Promise<void> {
    await this.#change(['move', position]);
  }

  async #change(change: NotificationChange): Promise<boolean> {
    return (await this.#link.ask<number>(['changeNotification', change])) === 1;
  }

  #ask<T>(asked: NotificationsAsked): Promise<T> {
    return this.#link.ask<T>(['readNotifications', asked]);
  }
}

function tagOf({ id, revision }: NotificationVersion): string {
  return `${id} ${revision}`;
}
