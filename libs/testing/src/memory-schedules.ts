import { RecordUnreadable } from '#ports';
import type { ScheduleQuery, ScheduleRecord, ScheduleStore, ScheduleVersion } from '#ports';

/** Schedules in memory. */
export class MemorySchedules implements ScheduleStore {
  /** Names of those that cannot be read; a write in the place of one mends it. */
  readonly unreadable = new Set<string>();

  /** `answer`: called after a write took effect, and throws where its answer is lost. */
  constructor(
    private readonly open: () => Map<string, ScheduleRecord>,
    private readonly answer: () => void,
  ) {}

  async find(name: string): Promise<ScheduleRecord | null> {
    const found = this.open().get(name) ?? null;
    if (!this.unreadable.has(name)) return found;
    throw new RecordUnreadable('schedule', name, 'order is missing', found);
  }

  async save(next: ScheduleRecord, previous: ScheduleVersion | null): Promise<boolean> {
    const schedules = this.open();
    if (!isSame(schedules.get(next.name), previous)) return false;
    schedules.set(next.name, next);
    this.unreadable.delete(next.name);
    this.answer();
    return true;
  }

  async remove(name: string, previous: ScheduleVersion): Promise<boolean> {
    const schedules = this.open();
    if (!isSame(schedules.get(name), previous)) return false;
    schedules.delete(name);
    this.unreadable.delete(name);
    this.answer();
    return true;
  }

  async findDue(now: number, limit: number): Promise<readonly ScheduleRecord[]> {
    const due = [...this.open().values()].filter(({ dueAt }) => dueAt !== null && dueAt <= now);
    return due.sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0)).slice(0, limit);
  }

  async list({ after = '', limit }: ScheduleQuery): Promise<readonly ScheduleRecord[]> {
    const names = [...this.open().keys()].filter((name) => name > after).toSorted();
    return names.slice(0, limit).map((name) => this.open().get(name)!);
  }
}

function isSame(stored: ScheduleRecord | undefined, previous: ScheduleVersion | null): boolean {
  if (previous === null) return stored === undefined;
  if (previous instanceof RecordUnreadable) return previous.stored() === stored;
  return stored?.id === previous.id && stored.revision === previous.revision;
}
