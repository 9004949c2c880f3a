import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../trial/index.js';
import { Api } from './api.js';

/** One request of a load, and the task that was made of it. */
export interface Order {
  readonly key: string;
  readonly flow: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Undefined until it was accepted. */
  taskId?: string;
}

/** What a load sends next. */
export type NextOrder = (random: SeededRandom) => Pick<Order, 'flow' | 'parameters'>;

/** How much is sent where. */
export interface LoadPlan {
  /** Gateways, each as good as the other. */
  readonly urls: readonly string[];
  readonly perSecond: number;
  readonly random: SeededRandom;
  readonly next: NextOrder;
  /** Makes the idempotency keys of this load its own. */
  readonly name: string;
}

const RETRY_MS = 100;
const ANSWER_MS = 5_000;

/**
 * Clients that do not give up: each repeats its request, by its idempotency key, until somebody
 * accepts it. So at the end every request is exactly one task, whatever was killed meanwhile.
 */
export class Load {
  readonly orders: Order[] = [];
  /** The statuses with which gateways have put clients off. */
  readonly refusals = new Set<number>();
  readonly #apis: readonly Api[];
  readonly #sent: Promise<void>[] = [];
  #running = true;
  #pace: Promise<void>;

  /** Starts at once. */
  constructor(private readonly plan: LoadPlan) {
    this.#apis = plan.urls.map((url) => new Api(url));
    this.#pace = this.#keepPace();
    // Told when the load is finished.
    this.#pace.catch(() => {});
  }

  /** Sends no more; resolves when everything that was sent is accepted. */
  async finish(): Promise<readonly Order[]> {
    this.#running = false;
    await this.#pace;
    await Promise.all(this.#sent);
    return this.orders;
  }

  /** Resolves after so many seconds of load. */
  run(seconds: number): Promise<void> {
    return delay(seconds * 1_000);
  }

  /** By the clock, not by a count of waits: a late timer makes up for what it missed. */
  async #keepPace(): Promise<void> {
    const { name, next, perSecond, random } = this.plan;
    const started = performance.now();
    while (this.#running) {
      const due = ((performance.now() - started) / 1_000) * perSecond;
      while (this.orders.length < due) {
        const order: Order = { key: `${name}-${this.orders.length}`, ...next(random) };
        this.orders.push(order);
        const accepted = this.#send(order);
        accepted.catch(() => (this.#running = false));
        this.#sent.push(accepted);
      }
      await delay(1_000 / perSecond);
    }
  }

  async #send(order: Order): Promise<void> {
    const { flow, key, parameters } = order;
    const body = { flow, parameters, idempotencyKey: key };
    for (let turn = this.orders.length; ; turn += 1) {
      const api = this.#apis[turn % this.#apis.length]!;
      const ask = { path: '/v1/tasks', body, withinMs: ANSWER_MS };
      const answer = await api.ask<{ taskId: string }>(ask).catch(() => undefined);
      if (answer && answer.status < 300) {
        order.taskId = answer.body.taskId;
        return;
      }
      if (answer && answer.status < 500) {
        throw new Error(`${key}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      if (answer) this.refusals.add(answer.status);
      await delay(RETRY_MS);
    }
  }
}
