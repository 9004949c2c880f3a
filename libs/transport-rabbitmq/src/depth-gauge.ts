import type { Clock, QueueDepth } from '#ports';
import type { AdminChannel } from './admin-channel.js';
import { moduleQueue, queueLength } from './topology.js';

const FRESH_MS = 1_000;

/** Tells the lengths of queues, asking the broker about each at most once a second. */
export class DepthGauge {
  readonly #admin: AdminChannel;
  readonly #clock: Clock;
  readonly #readings = new Map<
    string,
    { readonly at: number; readonly depth: Promise<QueueDepth> }
  >();

  constructor(admin: AdminChannel, clock: Clock) {
    this.#admin = admin;
    this.#clock = clock;
  }

  /** Never rejects: null when the broker does not tell. */
  read(module: string): Promise<QueueDepth> {
    const now = this.#clock.monotonic();
    const last = this.#readings.get(module);
    if (last !== undefined && now - last.at < FRESH_MS) return last.depth;
    const depth = this.#ask(module);
    this.#readings.set(module, { at: now, depth });
    return depth;
  }

  async #ask(module: string): Promise<QueueDepth> {
    try {
      // In a queue that is not there nothing waits.
      return (await queueLength(this.#admin, moduleQueue(module))) ?? 0;
    } catch {
      return null;
    }
  }
}
