import type { Previous, Records, ScheduleRecord } from '#ports';
import { Scheduler } from '#schedules';
import { FakeEntropy } from '#testing';
import type { MomentMutant } from './moment-mutants.js';
import type { StartLog } from './start-log.js';

/** A gateway that looks again within this time has not stood still, in milliseconds. */
const STILL_MS = 60_000;

/** The process is dead: nothing that it does from then on has an effect. */
class Died extends Error {
  override readonly name = 'Died';
}

/** A write of a schedule that a gateway made, with what the gateway knew. */
export interface Decided {
  readonly before: ScheduleRecord;
  readonly next: ScheduleRecord;
  readonly now: number;
  /** Since when the gateway has been looking without a break. */
  readonly since: number;
}

/** Schedules as a scheduler uses them. */
export type DueSchedules = Pick<Records<ScheduleRecord, 'due'>, 'get' | 'list' | 'put'>;

/** The parts that a gateway which may die works with. */
export interface MortalParts {
  readonly schedules: DueSchedules;
  readonly log: StartLog;
  readonly now: () => number;
  readonly chance: () => number;
  /** How likely it is to die at each call. */
  readonly mortality: number;
  readonly mutant: MomentMutant | null;
  readonly decided: (decided: Decided) => void;
}

/**
 * A gateway that dies by chance at any call of a store, before it takes effect or before it hears
 * the answer. It takes turns with the others at every call.
 */
export class MortalGateway {
  isDead = false;
  #since = 0;
  #lookedAt = -Infinity;
  readonly #parts: MortalParts;
  readonly #scheduler: Scheduler;

  constructor(parts: MortalParts) {
    this.#parts = parts;
    const { log, mutant, now } = parts;
    const schedules = this.#store();
    this.#scheduler = new Scheduler({
      schedules: mutant?.schedules?.(schedules) ?? schedules,
      tasks: mutant?.tasks?.(log) ?? log,
      starter: {
        start: (record, start) => {
          const starter = mutant?.starter?.(log) ?? log;
          return this.#risk(() => starter.start(record, start));
        },
      },
      clock: { now },
      entropy: new FakeEntropy(),
      observer: { noticed: () => undefined },
      meter: { started: () => undefined, skipped: () => undefined, failed: () => undefined },
    });
  }

  /** One round; resolves also when the gateway dies in it. */
  async tick(): Promise<void> {
    const now = this.#parts.now();
    if (now - this.#lookedAt > STILL_MS) this.#since = now;
    this.#lookedAt = now;
    try {
      await this.#scheduler.tick();
    } catch (error) {
      if (!this.isDead) throw error;
    }
  }

  #store(): DueSchedules {
    const { schedules } = this.#parts;
    return {
      get: (name) => this.#risk(() => schedules.get(name)),
      put: (next, previous) => this.#risk(() => this.#put(next, previous)),
      list: (query) => this.#risk(() => schedules.list(query)),
    };
  }

  async #put(next: ScheduleRecord, previous: Previous<ScheduleRecord>): Promise<boolean> {
    const before = await this.#parts.schedules.get(next.name);
    const isSaved = await this.#parts.schedules.put(next, previous);
    const { decided, now } = this.#parts;
    if (isSaved && before !== null) decided({ before, next, now: now(), since: this.#since });
    return isSaved;
  }

  async #risk<T>(call: () => Promise<T>): Promise<T> {
    const { chance } = this.#parts;
    for (let turns = Math.floor(chance() * 3); turns > 0; turns -= 1) await Promise.resolve();
    this.#mayDie();
    const answer = await call();
    this.#mayDie();
    return answer;
  }

  #mayDie(): void {
    const { chance, mortality } = this.#parts;
    if (!this.isDead) this.isDead = chance() < mortality;
    if (this.isDead) throw new Died('the process is dead');
  }
}
