import { TimeHeap, type Moment } from './time-heap.js';

export type { Moment } from './time-heap.js';

/** Where simulated time begins, milliseconds since 1970. */
export const START = 1_800_000_000_000;

/**
 * Simulated time: things happen one after the other, and between two of them every promise settles.
 */
export class TimeLine {
  now = START;
  /** How many things happened. */
  count = 0;
  private readonly heap = new TimeHeap();

  /** Has something happen in `ms`; returns what `cancel` wants. */
  after(ms: number, run: () => void): Moment {
    return this.heap.push(this.now + Math.max(0, ms), run);
  }

  cancel(moment: Moment): void {
    moment.run = null;
  }

  /** Time passes and nothing happens; whatever was to happen meanwhile happens after it. */
  leap(ms: number): void {
    this.now += ms;
  }

  /** Resolves after `ms`. For those outside of all processes. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Lets things happen until it is over or nothing is left; asked before each of them. */
  play(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          const next = isOver() ? undefined : this.heap.pop();
          if (next === undefined) return resolve();
          this.now = Math.max(this.now, next.at);
          this.count += 1;
          next.run?.();
        } catch (error) {
          return reject(error);
        }
        // A tick that is asked for by a promise comes when all promises have settled.
        queueMicrotask(() => process.nextTick(step));
      };
      step();
    });
  }
}
