import { type AbortSignalLike, type Clock, sleepOn, type Timer } from '#ports';

interface Pending {
  /** Milliseconds since 1970 on this clock. */
  readonly at: number;
  readonly fire: () => void;
  timer: Timer;
}

/**
 * A clock that goes as another one does, and skips ahead when it is told to. A skip fires all
 * timers that it passes. Durations that are measured stay real: `monotonic` never skips, so that a
 * skip ends no lease.
 */
export class SkippingClock implements Clock {
  readonly #pending = new Set<Pending>();
  #aheadMs = 0;

  constructor(private readonly base: Clock) {}

  now(): number {
    return this.base.now() + this.#aheadMs;
  }

  monotonic(): number {
    return this.base.monotonic();
  }

  after(ms: number, fire: () => void): Timer {
    const pending: Pending = { at: this.now() + ms, fire, timer: NEVER };
    this.#pending.add(pending);
    this.#wind(pending);
    return {
      cancel: () => {
        pending.timer.cancel();
        this.#pending.delete(pending);
      },
    };
  }

  sleep(ms: number, signal?: AbortSignalLike): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** Goes on to a moment, in milliseconds since 1970; does nothing where that has passed. */
  skipTo(moment: number): void {
    const skippedMs = moment - this.now();
    if (skippedMs <= 0) return;
    this.#aheadMs += skippedMs;
    const inOrder = [...this.#pending].toSorted((one, other) => one.at - other.at);
    for (const pending of inOrder) {
      pending.timer.cancel();
      // One that is due may call off another.
      if (this.#pending.has(pending)) this.#wind(pending);
    }
  }

  #wind(pending: Pending): void {
    const fire = (): void => {
      if (this.#pending.delete(pending)) pending.fire();
    };
    const leftMs = Math.max(0, pending.at - this.now());
    pending.timer = this.base.after(leftMs, fire);
  }
}

const NEVER: Timer = Object.freeze({ cancel: () => undefined });
