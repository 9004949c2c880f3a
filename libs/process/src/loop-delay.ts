import type { Clock, Timer } from '#ports';

/** How often the loop is looked at, in milliseconds; a delay is what comes on top of it. */
const LOOK_EVERY_MS = 50;

/** How late the event loop was, in milliseconds. */
export interface LoopDelays {
  /** Of a hundred looks, 99 were no later. */
  readonly p99Ms: number;
  /** The longest that the loop did not turn. */
  readonly maxMs: number;
}

/**
 * Measures how late this process's event loop is: what waits in it waits as long. By a timer,
 * because the histogram of `node:perf_hooks` does not see what blocks the loop right after it was
 * read and reset.
 */
export class LoopDelay {
  #delays: number[] = [];
  #timer: Timer | null = null;

  constructor(private readonly clock: Pick<Clock, 'after' | 'monotonic'>) {}

  /** Begins to measure. */
  start(): void {
    const dueAt = this.clock.monotonic() + LOOK_EVERY_MS;
    this.#timer = this.clock.after(LOOK_EVERY_MS, () => {
      this.#delays.push(Math.max(0, this.clock.monotonic() - dueAt));
      this.start();
    });
  }

  /** Delays since the last call, which are then forgotten; zeros where nothing was measured. */
  take(): LoopDelays {
    const delays = this.#delays.toSorted((a, b) => a - b);
    this.#delays = [];
    const p99Ms = delays[Math.ceil(delays.length * 0.99) - 1] ?? 0;
    return { p99Ms, maxMs: delays.at(-1) ?? 0 };
  }

  /** Ends the measurement. Safe to call twice. */
  stop(): void {
    this.#timer?.cancel();
  }
}
