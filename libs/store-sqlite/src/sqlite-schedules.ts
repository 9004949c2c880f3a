import type { ScheduleQuery, ScheduleRecord, ScheduleStore, ScheduleVersion } from '#ports';
import { toColumn } from './column-text.js';
import type { ScheduleCells, SchedulesAsked } from './schedule-cells.js';
import type { WorkerLink } from './worker-link.js';

/** Schedules, in the file of the store. */
export class SqliteSchedules implements ScheduleStore {
  readonly #link: WorkerLink;

  constructor(link: WorkerLink) {
    this.#link = link;
  }

  async find(name: string): Promise<ScheduleRecord | null> {
    const [found = null] = await this.#read(['one', toColumn(name)]);
    return found;
  }

  async save(next: ScheduleRecord, previous: ScheduleVersion | null): Promise<boolean> {
    const cells: ScheduleCells = [tagOf(next), next.dueAt, JSON.stringify(next)];
    return this.#change(next.name, previous, cells);
  }

  async remove(name: string, previous: ScheduleVersion): Promise<boolean> {
    return this.#change(name, previous, null);
  }

  findDue(now: number, limit: number): Promise<readonly ScheduleRecord[]> {
    return this.#read(['due', now, limit]);
  }

  list({ after = '', limit }: ScheduleQuery): Promise<readonly ScheduleRecord[]> {
    return this.#read(['names', toColumn(after), limit]);
  }

  async #change(
    name: string,
    previous: ScheduleVersion | null,
    cells: ScheduleCells | null,
  ): Promise<boolean> {
    const tag = previous && tagOf(previous);
    return (await this.#link.ask<number>(['changeSchedule', toColumn(name), tag, cells])) === 1;
  }

  async #read(asked: SchedulesAsked): Promise<readonly ScheduleRecord[]> {
    const rows = await this.#link.ask<readonly (readonly [string])[]>(['readSchedules', asked]);
    return Array.from(rows, ([text]) => JSON.parse(text) as ScheduleRecord);
  }
}

function tagOf({ id, revision }: ScheduleVersion): string {
  return `${id} ${revision}`;
}
