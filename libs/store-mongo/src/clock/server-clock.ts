import { type AbortSignalLike, type Clock, sleepOn, type Timer } from '#ports';
import type { Measurement } from './server-time.js';

/** Clocks that differ by less do no harm to tasks. */
export const HARMLESS_MS = 1_000;

/**
 * The server's time of day: this process's monotonic time plus an offset. A change of the machine's
 * own time of day has no effect here. Timers go by durations.
 */
export class ServerClock implements Clock {
  readonly #machine: Clock;
  #offset: number;
  /** The last time that `now` gave before the latest correction: it never goes back behind it. */
  #told = -Infinity;

  constructor(machine: Clock, { offset }: Measurement) {
    this.#machine = machine;
    this.#offset = offset;
  }

  now(): number {
    return Math.max(this.#told, Math.floor(this.#machine.monotonic() + this.#offset));
  }

  monotonic(): number {
    return this.#machine.monotonic();
  }

  after(ms: number, fire: () => void): Timer {
    return this.#machine.after(ms, fire);
  }

  sleep(ms: number, signal?: AbortSignalLike): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /**
   * Corrects this clock by as much as the measurement proves it to be wrong, and returns the
   * milliseconds by which time jumped. A harmless correction is no jump: where time would go back,
   * it stands still until it is right.
   */
  correct({ error, offset }: Measurement): number {
    const difference = offset - this.#offset;
    const proven = Math.abs(difference) - error;
    if (proven <= 0) return 0;
    if (proven < HARMLESS_MS) {
      this.#told = this.now();
      this.#offset += Math.sign(difference) * proven;
      return 0;
    }
    this.#told = -Infinity;
    this.#offset = offset;
    return difference;
  }
}
