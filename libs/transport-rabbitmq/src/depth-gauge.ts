import type { Replies } from 'amqplib';
import type { Clock, QueueDepth } from '#ports';
import type { AdminChannel } from './admin-channel.js';
import type { ClassQueues } from './class-queues.js';
import { moduleQueue, PRIORITY_CLASSES, type PriorityClass, queueState } from './topology.js';

const FRESH_MS = 1_000;

/** The figures of the queues of a module; null: the broker does not tell them now. */
interface Reading {
  readonly depth: QueueDepth;
  /** Subscriptions to the queue of class *normal*, which every executor of the module has. */
  readonly receivers: number | null;
}

/** Tells how much waits for a module in all of its queues; asks at most once a second. */
export class DepthGauge {
  readonly #admin: AdminChannel;
  readonly #classes: ClassQueues;
  readonly #clock: Clock;
  readonly #readings = new Map<
    string,
    { readonly at: number; readonly reading: Promise<Reading> }
  >();

  constructor(admin: AdminChannel, classes: ClassQueues, clock: Clock) {
    this.#admin = admin;
    this.#classes = classes;
    this.#clock = clock;
  }

  /** Never rejects. */
  read(module: string): Promise<Reading> {
    const now = this.#clock.monotonic();
    const last = this.#readings.get(module);
    if (last !== undefined && now - last.at < FRESH_MS) return last.reading;
    const reading = this.#ask(module);
    this.#readings.set(module, { at: now, reading });
    return reading;
  }

  async #ask(module: string): Promise<Reading> {
    try {
      const asked = PRIORITY_CLASSES.map((urgency) => this.#stateOf(module, urgency));
      const states = await Promise.all(asked);
      const depth = states.reduce((sum, state) => sum + (state?.messageCount ?? 0), 0);
      const normal = states[PRIORITY_CLASSES.indexOf('normal')];
      return { depth, receivers: normal?.consumerCount ?? 0 };
    } catch {
      return { depth: null, receivers: null };
    }
  }

  /** Null: there is no such queue, so nothing waits in it. */
  async #stateOf(module: string, urgency: PriorityClass): Promise<Replies.AssertQueue | null> {
    const queue = moduleQueue(module, urgency);
    if (urgency !== 'normal' && !(await this.#classes.find(queue))) return null;
    const state = await queueState(this.#admin, queue);
    if (state === null) this.#classes.forget(queue);
    return state;
  }
}
