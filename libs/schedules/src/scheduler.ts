import { isFinal } from '#core';
import {
  type Clock,
  type Entropy,
  nullWhereUnreadable,
  type Observer,
  type Records,
  type ScheduledStart,
  type ScheduleRecord,
  type SkipReason,
  StoreUnavailable,
  type TaskStore,
  TaskUnreadable,
} from '#ports';
import { noteStart, type StartResult } from './note-start.js';
import { GRACE_MS, planMoments } from './plan-moments.js';

/** Makes the tasks of schedules. */
export interface ScheduleStarter {
  /**
   * Makes the task of a moment under its id, unless it is there: repeated, it starts nothing twice.
   * Throws `StoreUnavailable`.
   */
  start(record: ScheduleRecord, start: ScheduledStart): Promise<StartResult>;
}

/** Counts what becomes of moments. */
export interface ScheduleMeter {
  /** A task was started, so long after its moment. */
  started(lateMs: number): void;
  skipped(reason: SkipReason, count: number): void;
  /** No task could be made. */
  failed(): void;
}

/** The parts that a scheduler works with. */
interface SchedulerParts {
  readonly schedules: Pick<Records<ScheduleRecord, 'due'>, 'get' | 'list' | 'put'>;
  readonly tasks: Pick<TaskStore, 'get'>;
  readonly starter: ScheduleStarter;
  /** The time of the store. */
  readonly clock: Pick<Clock, 'now'>;
  readonly entropy: Pick<Entropy, 'idOf'>;
  readonly observer: Pick<Observer, 'noticed'>;
  readonly meter: ScheduleMeter;
}

/** Schedules that are looked at in one go. */
const PAGE = 100;

/** Rounds within one tick, so that a great backlog does not keep a loop from stopping. */
const PAGES_MAX = 20;

/** Moments of one schedule that are seen to in one look. */
const STEPS_MAX = 50;

/** How long a schedule is left alone that this build cannot carry out, in milliseconds. */
const FAULT_MS = 60_000;

/**
 * Starts the tasks of schedules. One conditional write of the schedule decides on a moment; the
 * start that was decided on is carried out after it, by any gateway, under an id that follows
 * from the moment. So each moment has one task at most, whichever dies in between, and any number
 * of gateways may look.
 */
export class Scheduler {
  private readonly presence = new Presence();

  constructor(private readonly parts: SchedulerParts) {}

  /** Looks at everything that is due now. Throws `StoreUnavailable`. */
  async tick(): Promise<void> {
    const { clock, schedules } = this.parts;
    this.presence.look(clock.now());
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const due = await schedules.list({ index: 'due', upTo: clock.now(), limit: PAGE });
      const looks = await Promise.allSettled(due.map((record) => this.look(record)));
      const failed = looks.find(({ status }) => status === 'rejected');
      if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
      if (due.length < PAGE) return;
    }
  }

  private async look(record: ScheduleRecord): Promise<void> {
    try {
      let current: ScheduleRecord | null = record;
      for (let n = 0; current !== null && n < STEPS_MAX; n += 1) {
        current = await this.step(current);
      }
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      await this.setAside(record, error);
    }
  }

  /** The schedule as it is then, if there is more to do; null: nothing now, or others do it. */
  private async step(record: ScheduleRecord): Promise<ScheduleRecord | null> {
    const { clock, schedules } = this.parts;
    const { starting } = record;
    if (starting !== null) return this.carryOut(record, starting);
    const isFree = await this.isFree(record);
    const next = planMoments(record, {
      now: clock.now(),
      since: this.presence.since,
      isFree,
      idOf: (moment) => this.idOf(record, moment),
    });
    if (next === record || !(await schedules.put(next, record))) return null;
    this.tellSkips(record, next);
    return this.withMore(next);
  }

  private async carryOut(
    record: ScheduleRecord,
    start: ScheduledStart,
  ): Promise<ScheduleRecord | null> {
    const { clock, meter, schedules, starter } = this.parts;
    const result = await starter.start(record, start);
    let current: ScheduleRecord | null = record;
    while (current !== null) {
      const next = noteStart(current, start, { now: clock.now(), result });
      if (next === current) return null;
      if (await schedules.put(next, current)) {
        if (result.kind === 'started') meter.started(clock.now() - start.moment);
        else if (result.kind === 'failed') meter.failed();
        else this.tellSkips(current, next);
        return this.withMore(next);
      }
      current = await schedules.get(record.name);
    }
    return null;
  }

  private withMore(record: ScheduleRecord): ScheduleRecord | null {
    const { dueAt, starting } = record;
    const isDue = dueAt !== null && dueAt <= this.parts.clock.now();
    return isDue || (starting !== null && record.lastError?.isRetried !== true) ? record : null;
  }

  /** Asked only where something hangs on it. */
  private async isFree(record: ScheduleRecord): Promise<boolean> {
    const { nextAt, order, running, waiting } = record;
    const isAsked = waiting.length > 0 || (nextAt !== null && nextAt <= this.parts.clock.now());
    if (!isAsked || order.overlap === 'allow') return true;
    const ends = await Promise.all(running.map((taskId) => this.hasEnded(taskId)));
    return ends.every(Boolean);
  }

  private async hasEnded(taskId: string): Promise<boolean> {
    try {
      const task = await this.parts.tasks.get(taskId);
      return task === null || isFinal(task.status);
    } catch (error) {
      // Nobody knows whether it has ended until a person has mended it.
      if (error instanceof TaskUnreadable) return false;
      throw error;
    }
  }

  private idOf({ generation, id, name }: ScheduleRecord, moment: number): string {
    const key = `schedule ${name} ${id} ${generation} ${moment}`;
    return this.parts.entropy.idOf(key, { at: moment });
  }

  private tellSkips(before: ScheduleRecord, { counts, lastSkipped }: ScheduleRecord): void {
    const count = counts.skipped - before.counts.skipped;
    if (count > 0 && lastSkipped !== null) this.parts.meter.skipped(lastSkipped.reason, count);
  }

  /** It must not take the place of others, and a person must hear of it. */
  private async setAside(record: ScheduleRecord, error: unknown): Promise<void> {
    const { clock, observer, schedules } = this.parts;
    const message = `the schedule ${record.name} cannot be run: ${String(error)}`;
    observer.noticed({ level: 'error', name: 'schedule_failed', message, error });
    const current = await schedules.get(record.name).catch(nullWhereUnreadable);
    if (current === null || current.revision !== record.revision) return;
    const dueAt = clock.now() + FAULT_MS;
    await schedules.put({ ...current, dueAt, revision: current.revision + 1 }, current);
  }
}

/**
 * Since when a gateway has been looking at schedules. One that stood still, as on a machine that
 * slept, begins again; one whose store did not answer was there all the same.
 */
class Presence {
  private began = 0;
  private lookedAt: number | null = null;

  /** Milliseconds since 1970. */
  get since(): number {
    return this.began;
  }

  /** A look begins. */
  look(now: number): void {
    const isNew = this.lookedAt === null || Math.abs(now - this.lookedAt) > GRACE_MS;
    if (isNew) this.began = now;
    this.lookedAt = now;
  }
}
