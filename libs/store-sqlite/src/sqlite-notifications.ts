import type {
  NotificationQuery,
  NotificationRecord,
  NotificationStore,
  NotificationVersion,
} from '#ports';
import { toColumn } from './column-text.js';
import type { NotificationChange, NotificationsAsked } from './notification-cells.js';
import type { WorkerLink } from './worker-link.js';

/** Rules of notifications, in the file of the store. */
export class SqliteNotifications implements NotificationStore {
  readonly #link: WorkerLink;

  constructor(link: WorkerLink) {
    this.#link = link;
  }

  async find(name: string): Promise<NotificationRecord | null> {
    const [found = null] = await this.#read(['one', toColumn(name)]);
    return found;
  }

  save(next: NotificationRecord, previous: NotificationVersion | null): Promise<boolean> {
    const tag = previous && tagOf(previous);
    return this.#change(['put', toColumn(next.name), tag, tagOf(next), JSON.stringify(next)]);
  }

  remove(name: string, previous: NotificationVersion): Promise<boolean> {
    return this.#change(['remove', toColumn(name), tagOf(previous)]);
  }

  list({ after = '', limit }: NotificationQuery): Promise<readonly NotificationRecord[]> {
    return this.#read(['names', toColumn(after), limit]);
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

  async #read(asked: NotificationsAsked): Promise<readonly NotificationRecord[]> {
    const rows = await this.#ask<readonly (readonly [string])[]>(asked);
    return Array.from(rows, ([text]) => JSON.parse(text) as NotificationRecord);
  }

  #ask<T>(asked: NotificationsAsked): Promise<T> {
    return this.#link.ask<T>(['readNotifications', asked]);
  }
}

function tagOf({ id, revision }: NotificationVersion): string {
  return `${id} ${revision}`;
}
