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

/** Draws the order that a load sends next. */
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
  /**
   * While this number of tasks have not ended, nothing is sent: a slow machine is harmed, not
   * buried. At most 200. Default: no bound.
   */
  readonly liveMax?: number;
}

/** The answer to a request whose body came too late, as it does on a machine that is too busy. */
const TOO_SLOW = 408;
const RETRY_MS = 100;
const ANSWER_MS = 5_000;
const COUNT_EVERY_MS = 500;
const LIVE = 'not_started,running,rolling_back';

/**
 * Clients that do not give up: each repeats its request, by its idempotency key, until a gateway
 * accepts it. So at the end every request is exactly one task, whatever was killed meanwhile.
 */
export class Load {
  readonly orders: Order[] = [];
  /** The statuses with which gateways have put clients off. */
  readonly refusals = new Set<number>();
  readonly #apis: readonly Api[];
  readonly #sent: Promise<void>[] = [];
  #running = true;
  #isCrowded = false;
  #pace: Promise<void>;

  /** Starts at once. */
  constructor(private readonly plan: LoadPlan) {
    this.#apis = plan.urls.map((url) => new Api(url));
    this.#pace = this.#keepPace();
    // The end of the load gets the error.
    this.#pace.catch(() => {});
    if (plan.liveMax !== undefined) void this.#watchCrowd(plan.liveMax);
  }

  /** Sends no more; resolves when everything that was sent is accepted. */
  async finish(): Promise<readonly Order[]> {
    this.#running = false;
    await this.#pace;
    await Promise.all(this.#sent);
    return this.orders;
  }

  /** Resolves after a number of seconds of load. */
  run(seconds: number): Promise<void> {
    return delay(seconds * 1_000);
  }

  /** By the clock, not by a count of waits: a late timer makes up for what it missed. */
  async #keepPace(): Promise<void> {
    const { name, next, perSecond, random } = this.plan;
    let started = performance.now();
    while (this.#running) {
      if (this.#isCrowded) {
        started += await passed(COUNT_EVERY_MS);
        continue;
      }
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

  /** A gateway that does not answer leaves it at what was known last. */
  async #watchCrowd(liveMax: number): Promise<void> {
    const path = `/v1/tasks?limit=${liveMax}&status=${LIVE}`;
    for (let turn = 0; this.#running; turn += 1) {
      const api = this.#apis[turn % this.#apis.length]!;
      const answer = await api.ask<{ items: unknown[] }>({ path }).catch(() => undefined);
      if (answer?.status === 200) this.#isCrowded = answer.body.items.length >= liveMax;
      await delay(COUNT_EVERY_MS);
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
      if (answer && answer.status < 500 && answer.status !== TOO_SLOW) {
        throw new Error(`${key}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      if (answer && answer.status !== TOO_SLOW) this.refusals.add(answer.status);
      await delay(RETRY_MS);
    }
  }
}

/** Waits; resolves to the milliseconds that it really took. */
async function passed(ms: number): Promise<number> {
  const from = performance.now();
  await delay(ms);
  return performance.now() - from;
}
