import type { DeliveryQuery, DeliveryRecord, DeliveryStore } from '#ports';
import { toColumn } from './column-text.js';
import type { DeliveriesAsked, DeliveryCells, DeliveryChange } from './notification-cells.js';
import type { WorkerLink } from './worker-link.js';

/** Most that are told about one subject. */
const ABOUT_MAX = 20;

/** Messages of notifications, in the file of the store. */
export class SqliteDeliveries implements DeliveryStore {
  readonly #link: WorkerLink;

  constructor(link: WorkerLink) {
    this.#link = link;
  }

  async find(id: string): Promise<DeliveryRecord | null> {
    const [found = null] = await this.#read(['one', toColumn(id)]);
    return found;
  }

  async add(delivery: DeliveryRecord): Promise<boolean> {
    return (await this.#change(['add', cellsOf(delivery)])) === 1;
  }

  async save(next: DeliveryRecord): Promise<boolean> {
    return (await this.#change(['save', cellsOf(next)])) === 1;
  }

  findDue(now: number, limit: number): Promise<readonly DeliveryRecord[]> {
    return this.#read(['due', now, limit]);
  }

  async findOpen(subjects: readonly string[]): Promise<readonly DeliveryRecord[]> {
    if (subjects.length === 0) return [];
    return this.#read(['open', JSON.stringify(subjects.map(toColumn))]);
  }

  list({ after, limit, rule }: DeliveryQuery): Promise<readonly DeliveryRecord[]> {
    const { createdAt, id } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: '' };
    return this.#read(['rule', toColumn(rule), createdAt, toColumn(id), limit]);
  }

  about(ruleId: string, subject: string): Promise<readonly DeliveryRecord[]> {
    return this.#read(['about', toColumn(subject), toColumn(ruleId), ABOUT_MAX]);
  }

  async prune(rule: string, kept: number): Promise<void> {
    await this.#change(['prune', toColumn(rule), kept]);
  }

  #change(change: DeliveryChange): Promise<number> {
    return this.#link.ask<number>(['changeDelivery', change]);
  }

  async #read(asked: DeliveriesAsked): Promise<readonly DeliveryRecord[]> {
    const rows = await this.#link.ask<readonly (readonly [string])[]>(['readDeliveries', asked]);
    return Array.from(rows, ([text]) => JSON.parse(text) as DeliveryRecord);
  }
}

function cellsOf(delivery: DeliveryRecord): DeliveryCells {
  const { createdAt, dueAt, id, isOpen, revision, rule, ruleId, subject } = delivery;
  return [
    toColumn(id),
    revision,
    toColumn(rule),
    toColumn(ruleId),
    toColumn(subject),
    createdAt,
    dueAt,
    isOpen ? 1 : 0,
    JSON.stringify(delivery),
  ];
}
