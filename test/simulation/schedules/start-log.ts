import { type Task, TASK_STATUS } from '#core';
import type { ScheduledStart, ScheduleRecord, TaskStore } from '#ports';
import type { ScheduleStarter, StartResult } from '#schedules';

/** A task that a schedule started. Times are milliseconds since 1970. */
interface Started {
  readonly name: string;
  readonly moment: number;
  readonly endsAt: number;
}

/** The parts that the tasks of schedules need. */
interface LogParts {
  readonly now: () => number;
  /** How long a new task of a schedule takes, in milliseconds. */
  readonly lengthOf: (record: ScheduleRecord) => number;
  readonly violate: (what: string) => void;
}

/** The tasks that schedules started: kept, whichever process dies. */
export class StartLog implements ScheduleStarter, Pick<TaskStore, 'get'> {
  /** How often a start found the task already made. */
  found = 0;
  readonly #starts = new Map<string, Started>();
  readonly #moments = new Map<string, number[]>();
  /** By name of the schedule: the latest end of its tasks. */
  readonly #busyUntil = new Map<string, number>();

  constructor(private readonly parts: LogParts) {}

  async start(record: ScheduleRecord, start: ScheduledStart): Promise<StartResult> {
    const { name, order } = record;
    const { moment, taskId } = start;
    if (this.#starts.has(taskId)) {
      this.found += 1;
      return { kind: 'started' };
    }
    const now = this.parts.now();
    const busyUntil = this.#busyUntil.get(name) ?? 0;
    const moments = this.momentsOf(name);
    if (moments.includes(moment)) this.parts.violate(`${name}: ${moment} was started twice`);
    else if (order.overlap !== 'allow' && busyUntil > now) {
      this.parts.violate(`${name}: ${moment} was started while the task before it ran`);
    }
    const endsAt = now + this.parts.lengthOf(record);
    this.#starts.set(taskId, { name, moment, endsAt });
    this.#moments.set(name, [...moments, moment]);
    this.#busyUntil.set(name, Math.max(busyUntil, endsAt));
    return { kind: 'started' };
  }

  async get(taskId: string): Promise<Task | null> {
    const started = this.#starts.get(taskId);
    if (started === undefined) return null;
    const { running, succeeded } = TASK_STATUS;
    return { status: started.endsAt > this.parts.now() ? running : succeeded } as Task;
  }

  /** The moments of a schedule that have a task, in the order of their starts. */
  momentsOf(name: string): readonly number[] {
    return this.#moments.get(name) ?? [];
  }
}
