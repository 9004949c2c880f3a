import { readNotification, type RecordForm, type RecordReader } from '#ports';
import type {
  NotificationQuery,
  NotificationRecord,
  NotificationStore,
  NotificationVersion,
} from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import { besideItself, type NamedRow, previousRow, tagOf } from './named-row.js';
import type { NotificationChange, NotificationsAsked } from './notification-cells.js';
import type { WorkerLink } from './worker-link.js';

const FORM: RecordForm<NamedRow, NotificationRecord> = {
  kind: 'notification',
  idOf: ([name]) => fromColumn(name),
  decode: ([name, tag, text]) => besideItself(readNotification(text, fromColumn(name)), tag),
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
    const [found] = await this.#ask<readonly NamedRow[]>(['one', toColumn(name)]);
    return this.#records.found(found, name, FORM);
  }

  save(next: NotificationRecord, previous: NotificationVersion | null): Promise<boolean> {
    const { name } = next;
    const cells = [tagOf(next), JSON.stringify(next)] as const;
    const write = this.#change(['put', toColumn(name), previousRow(previous), ...cells]);
    return this.#records.clearAfter('notification', name, write);
  }

  remove(name: string, previous: NotificationVersion): Promise<boolean> {
    const write = this.#change(['remove', toColumn(name), previousRow(previous)]);
    return this.#records.clearAfter('notification', name, write);
  }

  list({ after = '', limit }: NotificationQuery): Promise<readonly NotificationRecord[]> {
    const read = (most: number, skip: number): Promise<readonly NamedRow[]> =>
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
