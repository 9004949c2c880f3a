import type { Dispatch } from '#core';
import {
  TransportUnavailable,
  type Clock,
  type Concurrency,
  type Consumer,
  type DeliveryHandler,
  type Observer,
  type QueueDepth,
  type StepTransport,
  type TransportTrouble,
} from '#ports';
import { MemoryConsumer } from './memory-consumer.js';
import { ModuleQueue } from './module-queue.js';
import { Turn } from './turn.js';

/** Options of the in-process transport. */
export interface MemoryTransportOptions {
  readonly clock: Clock;
  readonly observer: Observer;
}

/**
 * A transport within one process: no server, nothing stored. Messages that wait when the process
 * ends are gone, and governance sends them again from the task documents. A queue has no bound of
 * its own: it holds at most what the store's unfinished tasks ask for, and refusing or dropping a
 * message would only bring it back later. Of what waits for a module, the message with the smallest
 * order time comes next, always.
 */
export function openMemoryTransport(options: MemoryTransportOptions): StepTransport {
  return new MemoryTransport(options);
}

class MemoryTransport implements StepTransport {
  readonly isOrdered = true;
  readonly #options: MemoryTransportOptions;
  readonly #queues = new Map<string, ModuleQueue>();
  readonly #turn = new Turn();
  #closed = false;

  constructor(options: MemoryTransportOptions) {
    this.#options = options;
  }

  publish(dispatches: readonly Dispatch[]): Promise<void> {
    const { obstacle } = this;
    if (obstacle !== null) return Promise.reject(obstacle);
    for (const dispatch of dispatches) this.#queue(dispatch.message.module).add(dispatch);
    for (const dispatch of dispatches) this.#queue(dispatch.message.module).wake();
    return Promise.resolve();
  }

  consume(module: string, concurrency: Concurrency, handler: DeliveryHandler): Promise<Consumer> {
    const { obstacle } = this;
    if (obstacle !== null) return Promise.reject(obstacle);
    const queue = this.#queue(module);
    const { clock, observer } = this.#options;
    const turn = this.#turn;
    const consumer = new MemoryConsumer({
      clock,
      concurrency,
      handler,
      module,
      observer,
      queue,
      turn,
    });
    queue.join(consumer);
    return Promise.resolve(consumer);
  }

  get obstacle(): TransportUnavailable | null {
    return this.#closed ? new TransportUnavailable('The transport is closed.') : null;
  }

  depth(module: string): Promise<QueueDepth> {
    return Promise.resolve(this.#closed ? null : (this.#queues.get(module)?.depth ?? 0));
  }

  receivers(module: string): Promise<number | null> {
    return Promise.resolve(this.#closed ? null : (this.#queues.get(module)?.receivers ?? 0));
  }

  /** There is no server that could refuse anything. */
  troubles(): readonly TransportTrouble[] {
    return [];
  }

  ping(): Promise<void> {
    const { obstacle } = this;
    return obstacle === null ? Promise.resolve() : Promise.reject(obstacle);
  }

  close(): Promise<void> {
    this.#closed = true;
    for (const queue of this.#queues.values()) queue.close();
    this.#queues.clear();
    return Promise.resolve();
  }

  #queue(module: string): ModuleQueue {
    let queue = this.#queues.get(module);
    if (queue === undefined) {
      queue = new ModuleQueue();
      this.#queues.set(module, queue);
    }
    return queue;
  }
}
