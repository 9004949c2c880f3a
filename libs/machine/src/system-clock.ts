import { type AbortSignalLike, type Clock, sleepOn, type Timer } from '#ports';

/** The longest delay of a Node timer, in milliseconds; a longer one fires at once. */
const TIMER_MAX_MS = 2_147_483_647;

/** The machine's time. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  after(ms: number, fire: () => void): Timer {
    if (ms <= TIMER_MAX_MS) {
      const timer = setTimeout(fire, ms).unref();
      return { cancel: () => clearTimeout(timer) };
    }
    return new LongTimer(ms, fire);
  }

  sleep(ms: number, signal?: AbortSignalLike): Promise<void> {
    return sleepOn(this, ms, signal);
  }
}

/** Waits in pieces that a timer can hold. */
class LongTimer implements Timer {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private leftMs: number,
    private readonly fire: () => void,
  ) {
    this.#next();
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  #next(): void {
    const pieceMs = Math.min(this.leftMs, TIMER_MAX_MS);
    this.leftMs -= pieceMs;
    const then = this.leftMs > 0 ? () => this.#next() : this.fire;
    this.#timer = setTimeout(then, pieceMs).unref();
  }
}
