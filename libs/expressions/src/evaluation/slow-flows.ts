import type { Clock } from '#ports';

/** For so long a flow is slow after an expression of it took too much, in milliseconds. */
const SLOW_MS = 60_000;

/** Flows that are kept; of more, those that were slow longest ago are forgotten. */
const KEPT_MAX = 1_000;

/** The flows with an expression that took more than it may a short while ago. */
export class SlowFlows {
  /** Until when, by the monotonic clock; slow longest ago first. */
  readonly #until = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Whether a flow is slow now. */
  has(flow: string): boolean {
    const until = this.#until.get(flow);
    if (until === undefined) return false;
    if (until > this.clock.monotonic()) return true;
    this.#until.delete(flow);
    return false;
  }

  /** An expression of a flow took too much now. */
  add(flow: string): void {
    this.#until.delete(flow);
    this.#until.set(flow, this.clock.monotonic() + SLOW_MS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > KEPT_MAX && oldest !== undefined) this.#until.delete(oldest);
  }
}
