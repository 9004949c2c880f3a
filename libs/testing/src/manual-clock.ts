import { type AbortSignalLike, type Clock, sleepOn, type Timer } from '#ports';

interface Pending {
  readonly at: number;
  readonly fire: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;
  #error = 0;
  readonly #pending = new Set<Pending>();

  constructor(now = 1_800_000_000_000) {
    this.#now = now;
  }

  /** Timers that have not fired. */
  get timers(): number {
    return this.#pending.size;
  }

  now(): number {
    return this.#now + this.#error;
  }

  monotonic(): number {
    return this.#now;
  }

  /** Sets the clock wrong by so much, or right again by 0; timers go by durations. */
  misset(ms: number): void {
    this.#error = ms;
  }

  after(ms: number, fire: () => void): Timer {
    const pending: Pending = { at: this.#now + Math.max(0, ms), fire };
    this.#pending.add(pending);
    return { cancel: () => void this.#pending.delete(pending) };
  }

  sleep(ms: number, signal?: AbortSignalLike): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /**
   * Moves on by so much, fires what is due in order of time, and lets promises settle after each.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const next = this.#firstDue(end);
      if (next === undefined) break;
      this.#pending.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.fire();
    }
    this.#now = end;
  }

  #firstDue(end: number): Pending | undefined {
    let first: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.at <= end && (first === undefined || pending.at < first.at)) first = pending;
    }
    return first;
  }
}

/** Resolves when the promises that can settle now have settled. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
