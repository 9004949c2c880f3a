import { DEFAULT_TIMING, invariant, type Moment } from '#core';
import type { Started } from './outsiders.js';

/** When every play begins, in milliseconds since 1970: the same play has the same times. */
export const START = Date.UTC(2030, 0, 1);

/** Longer than any wait of a flow, in milliseconds. */
const NEVER = 1e15;

/** Nothing is lost in a play, so nobody looks whether something was. */
const TIMING = { ...DEFAULT_TIMING, redispatchAfterMs: NEVER, redispatchMaxMs: NEVER };

/** Changes of all tasks of a play; only a flow that never ends has more. */
const CHANGES_MAX = 50_000;

/** Something that happens at a moment of a play. */
interface Appointment {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** It comes from outside, and the task need not wait for it. */
  readonly isOutside: boolean;
  readonly happen: () => Promise<void>;
}

/** State that the tasks of one play share: its time and its agenda. */
export class Stage {
  /** Milliseconds since 1970. */
  now = START;
  readonly agenda = new Agenda();
  /** Executors that crashed. */
  readonly crashed = new Set<string>();
  /** Actions in the order in which they began. */
  readonly started: Started[] = [];
  #changes = 0;

  moment(): Moment {
    return { now: this.now, chance: 0.5, timing: TIMING };
  }

  /** A task changes. Throws where the changes do not end. */
  countChange(): void {
    invariant(this.#changes++ < CHANGES_MAX, 'the flow does not end');
  }

  /** Puts time forward; it never goes back. */
  moveTo(at: number): void {
    this.now = Math.max(this.now, at);
  }

  /** Whether a task is ever looked at again by itself. */
  isDue(wakeAt: number | null): wakeAt is number {
    return wakeAt !== null && wakeAt < NEVER;
  }
}

/** Appointments of a play, by time; those of the same moment in the order they were added. */
class Agenda {
  readonly #appointments: Appointment[] = [];

  add(appointment: Appointment): void {
    const after = this.#appointments.findIndex(({ at }) => at > appointment.at);
    this.#appointments.splice(after < 0 ? this.#appointments.length : after, 0, appointment);
  }

  /** When the next one is; null: there is none. */
  get nextAt(): number | null {
    return this.#appointments[0]?.at ?? null;
  }

  /** Whether something is under way in the task itself. */
  get isBusy(): boolean {
    return this.#appointments.some(({ isOutside }) => !isOutside);
  }

  take(): Appointment | undefined {
    return this.#appointments.shift();
  }
}
