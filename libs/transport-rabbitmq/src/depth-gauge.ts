import type { Clock, QueueDepth } from '#ports';
import type { AdminChannel } from './admin-channel.js';
import type { ClassQueues } from './class-queues.js';
import { PRIORITY_CLASSES, type PriorityClass } from './priority-class.js';
import { moduleQueue, queueLength } from './topology.js';

const FRESH_MS = 1_000;

/** Tells how much waits for a module in all of its queues; asks at most once a second. */
export class DepthGauge {
  readonly #admin: AdminChannel;
  readonly #classes: ClassQueues;
  readonly #clock: Clock;
  readonly #readings = new Map<
    string,
    { readonly at: number; readonly depth: Promise<QueueDepth> }
  >();

  constructor(admin: AdminChannel, classes: ClassQueues, clock: Clock) {
    this.#admin = admin;
    this.#classes = classes;
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
      const lengths = PRIORITY_CLASSES.map((urgency) => this.#lengthOf(module, urgency));
      return (await Promise.all(lengths)).reduce((sum, length) => sum + length, 0);
    } catch {
      return null;
    }
  }

  /** In a queue that is not there nothing waits. */
  async #lengthOf(module: string, urgency: PriorityClass): Promise<number> {
    const queue = moduleQueue(module, urgency);
    if (urgency !== 'normal' && !(await this.#classes.find(queue))) return 0;
    const length = await queueLength(this.#admin, queue);
    if (length === null) this.#classes.forget(queue);
    return length ?? 0;
  }
}
