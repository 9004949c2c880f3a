import { FakeEntropy } from '#testing';
import type { ScheduledStart, ScheduleQuery, ScheduleRecord } from '#ports';
import type { ScheduleStore, ScheduleVersion } from '#ports';
import type { StartResult } from './note-start.js';
import { Scheduler, type ScheduleStarter } from './scheduler.js';

/** The process is dead: nothing that it does from then on has an effect. */
class Died extends Error {
  override readonly name = 'Died';
}

/** The tasks that schedules started: kept, whoever dies. */
export class StartLog implements ScheduleStarter {
  /** By ids of tasks. */
  readonly starts = new Map<string, { readonly name: string; readonly moment: number }>();
  /** How often somebody came who found the task already made. */
  found = 0;

  async start({ name }: ScheduleRecord, { moment, taskId }: ScheduledStart): Promise<StartResult> {
    if (this.starts.has(taskId)) this.found += 1;
    else this.starts.set(taskId, { name, moment });
    return { kind: 'started' };
  }

  /** The moments that a schedule had a task of, with those that it had two of twice. */
  momentsOf(): ReadonlyMap<string, readonly number[]> {
    const all = new Map<string, number[]>();
    for (const { moment, name } of this.starts.values()) {
      const known = all.get(name);
      if (known === undefined) all.set(name, [moment]);
      else known.push(moment);
    }
    return all;
  }
}

/** The parts that a gateway which may die works with. */
export interface MortalParts {
  readonly schedules: ScheduleStore;
  readonly log: StartLog;
  readonly now: () => number;
  readonly chance: () => number;
  /** How likely it is to die at each call. */
  readonly mortality: number;
}

/**
 * A gateway that dies by chance at any call of a store, before it takes effect or before it hears
 * the answer. It takes turns with the others at every call.
 */
export class MortalGateway {
  isDead = false;
  private readonly scheduler: Scheduler;

  constructor(private readonly parts: MortalParts) {
    const { log, schedules } = parts;
    this.scheduler = new Scheduler({
      schedules: {
        find: (name: string) => this.risk(() => schedules.find(name)),
        save: (next: ScheduleRecord, previous: ScheduleVersion | null) =>
          this.risk(() => schedules.save(next, previous)),
        remove: (name: string, previous: ScheduleVersion) =>
          this.risk(() => schedules.remove(name, previous)),
        findDue: (now: number, limit: number) => this.risk(() => schedules.findDue(now, limit)),
        list: (query: ScheduleQuery) => this.risk(() => schedules.list(query)),
      },
      tasks: { get: async () => null },
      starter: { start: (record, start) => this.risk(() => log.start(record, start)) },
      clock: { now: parts.now },
      entropy: new FakeEntropy(),
      observer: { noticed: () => undefined },
      meter: { started: () => undefined, skipped: () => undefined, failed: () => undefined },
    });
  }

  /** One round; resolves also when the gateway dies in it. */
  async tick(): Promise<void> {
    try {
      await this.scheduler.tick();
    } catch (error) {
      if (!this.isDead) throw error;
    }
  }

  private async risk<T>(call: () => Promise<T>): Promise<T> {
    const { chance } = this.parts;
    for (let turns = Math.floor(chance() * 3); turns > 0; turns -= 1) await Promise.resolve();
    this.mayDie();
    const answer = await call();
    this.mayDie();
    return answer;
  }

  private mayDie(): void {
    const { chance, mortality } = this.parts;
    if (!this.isDead) this.isDead = chance() < mortality;
    if (this.isDead) throw new Died('the process is dead');
  }
}
