import { readDelivery, type RecordForm, type RecordReader } from '#ports';
import type { DeliveryQuery, DeliveryRecord, DeliveryStore } from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import { dueAsBeside } from './due-column.js';
import type { DeliveriesAsked, DeliveryCells, DeliveryChange } from './notification-cells.js';
import type { WorkerLink } from './worker-link.js';

type Stored = readonly [id: string, record: unknown, dueAt: unknown];

const FORM: RecordForm<Stored, DeliveryRecord> = {
  kind: 'delivery',
  idOf: ([id]) => fromColumn(id),
  decode: ([id, text, dueAt]) => dueAsBeside(readDelivery(text, fromColumn(id)), dueAt),
};

/** Most that are told about one subject. */
const ABOUT_MAX = 20;

/** Messages of notifications, in the file of the store. */
export class SqliteDeliveries implements DeliveryStore {
  readonly #link: WorkerLink;
  readonly #records: RecordReader;

  constructor(link: WorkerLink, records: RecordReader) {
    this.#link = link;
    this.#records = records;
  }

  async find(id: string): Promise<DeliveryRecord | null> {
    const [found] = await this.#read(['one', toColumn(id)]);
    return this.#records.found(found, id, FORM);
  }

  async add(delivery: DeliveryRecord): Promise<boolean> {
    return (await this.#change(['add', cellsOf(delivery)])) === 1;
  }

  async save(next: DeliveryRecord): Promise<boolean> {
    const isDone = this.#change(['save', cellsOf(next)]).then((count) => count === 1);
    return this.#records.clearAfter('delivery', next.id, isDone);
  }

  findDue(now: number, limit: number): Promise<readonly DeliveryRecord[]> {
    return this.#page(limit, (most, skip) => ['due', now, most, skip]);
  }

  async findOpen(subjects: readonly string[]): Promise<readonly DeliveryRecord[]> {
    if (subjects.length === 0) return [];
    const rows = await this.#read(['open', JSON.stringify(subjects.map(toColumn))]);
    return this.#records.all(rows, FORM);
  }

  list({ after, limit, rule }: DeliveryQuery): Promise<readonly DeliveryRecord[]> {
    const { createdAt, id } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: '' };
    const place = [toColumn(rule), createdAt, toColumn(id)] as const;
    return this.#page(limit, (most, skip) => ['rule', ...place, most, skip]);
  }

  about(ruleId: string, subject: string): Promise<readonly DeliveryRecord[]> {
    const place = [toColumn(subject), toColumn(ruleId)] as const;
    return this.#page(ABOUT_MAX, (most, skip) => ['about', ...place, most, skip]);
  }

  async prune(rule: string, kept: number): Promise<void> {
    await this.#change(['prune', toColumn(rule), kept]);
    await this.#records.lookAgain('delivery', (id) => this.find(id));
  }

  #change(change: DeliveryChange): Promise<number> {
    return this.#link.ask<number>(['changeDelivery', change]);
  }

  #page(
    limit: number,
    asked: (limit: number, skip: number) => DeliveriesAsked,
  ): Promise<readonly DeliveryRecord[]> {
    return this.#records.page(limit, (most, skip) => this.#read(asked(most, skip)), FORM);
  }

  #read(asked: DeliveriesAsked): Promise<readonly Stored[]> {
    return this.#link.ask<readonly Stored[]>(['readDeliveries', asked]);
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
