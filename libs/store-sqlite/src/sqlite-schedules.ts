import { readSchedule, type RecordForm, type RecordReader } from '#ports';
import type { ScheduleQuery, ScheduleRecord, ScheduleStore, ScheduleVersion } from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import { dueAsBeside } from './due-column.js';
import { besideItself, type NamedRow, previousRow, tagOf } from './named-row.js';
import type { ScheduleCells, SchedulesAsked } from './schedule-cells.js';
import type { WorkerLink } from './worker-link.js';

type Stored = readonly [...row: NamedRow, dueAt: unknown];

const FORM: RecordForm<Stored, ScheduleRecord> = {
  kind: 'schedule',
  idOf: ([name]) => fromColumn(name),
  decode: ([name, tag, text, dueAt]) => {
    return dueAsBeside(besideItself(readSchedule(text, fromColumn(name)), tag), dueAt);
  },
};

/** Schedules, in the file of the store. */
export class SqliteSchedules implements ScheduleStore {
  readonly #link: WorkerLink;
  readonly #records: RecordReader;

  constructor(link: WorkerLink, records: RecordReader) {
    this.#link = link;
    this.#records = records;
  }

  async find(name: string): Promise<ScheduleRecord | null> {
    const [found] = await this.#read(['one', toColumn(name)]);
    return this.#records.found(found, name, FORM);
  }

  async save(next: ScheduleRecord, previous: ScheduleVersion | null): Promise<boolean> {
    const cells: ScheduleCells = [tagOf(next), next.dueAt, JSON.stringify(next)];
    return this.#change(next.name, previous, cells);
  }

  async remove(name: string, previous: ScheduleVersion): Promise<boolean> {
    return this.#change(name, previous, null);
  }

  findDue(now: number, limit: number): Promise<readonly ScheduleRecord[]> {
    return this.#page(limit, (most, skip) => ['due', now, most, skip]);
  }

  list({ after = '', limit }: ScheduleQuery): Promise<readonly ScheduleRecord[]> {
    return this.#page(limit, (most, skip) => ['names', toColumn(after), most, skip]);
  }

  #change(
    name: string,
    previous: ScheduleVersion | null,
    cells: ScheduleCells | null,
  ): Promise<boolean> {
    const request = ['changeSchedule', toColumn(name), previousRow(previous), cells] as const;
    const isDone = this.#link.ask<number>(request).then((count) => count === 1);
    return this.#records.clearAfter('schedule', name, isDone);
  }

  #page(
    limit: number,
    asked: (limit: number, skip: number) => SchedulesAsked,
  ): Promise<readonly ScheduleRecord[]> {
    return this.#records.page(limit, (most, skip) => this.#read(asked(most, skip)), FORM);
  }

  #read(asked: SchedulesAsked): Promise<readonly Stored[]> {
    return this.#link.ask<readonly Stored[]>(['readSchedules', asked]);
  }
}
