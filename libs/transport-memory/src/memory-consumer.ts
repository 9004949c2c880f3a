import { growingDelay } from '#core';
import {
  type Clock,
  type Concurrency,
  type Consumer,
  type DeliveryHandler,
  type DeliveryVerdict,
  mostInHand,
  type Observer,
  type Places,
  type Timer,
  type WaitingLine,
} from '#ports';
import type { ModuleQueue, Waiting } from './module-queue.js';
import type { Turn } from './turn.js';

const GROWTH = { firstMs: 100, maxMs: 5_000 };

/** The dependencies of a consumer. */
interface ConsumerParts {
  readonly clock: Clock;
  readonly concurrency: Concurrency;
  readonly handler: DeliveryHandler;
  readonly module: string;
  readonly observer: Observer;
  readonly queue: ModuleQueue;
  readonly turn: Turn;
}

/**
 * Takes messages of one module, at most `concurrency` at a time. Each busy slot is one loop that
 * awaits the handler's own promise and takes the next message: nothing is allocated per message
 * beside that. A message leaves its queue only when there is a slot for it, so that a more urgent
 * one may still come before it.
 */
export class MemoryConsumer implements Consumer, WaitingLine {
  readonly #parts: ConsumerParts;
  readonly #places: Places | null;
  readonly #most: number;
  readonly #held = new Map<Waiting, Timer>();
  #idle: number;
  #stopped = false;
  #whenIdle: (() => void)[] = [];

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    this.#most = mostInHand(parts.concurrency);
    this.#idle = this.#most;
    this.#places = typeof parts.concurrency === 'number' ? null : parts.concurrency;
    this.#places?.join(this);
  }

  get nextAt(): number {
    return this.#parts.queue.nextAt;
  }

  /** Starts a slot for every message that could be taken now. */
  wake(): void {
    if (this.#stopped) return;
    const { ready } = this.#parts.queue;
    for (let n = Math.min(ready, this.#free); n > 0 && this.#idle > 0; n -= 1) this.#startSlot();
  }

  /** Where every slot is busy, the next one that answers takes the next message. */
  serve(): void {
    if (!this.#stopped && this.#idle > 0 && this.#parts.queue.ready > 0) this.#startSlot();
  }

  get #free(): number {
    return this.#places === null ? Infinity : this.#places.free;
  }

  #startSlot(): void {
    this.#idle -= 1;
    void this.#runSlot();
  }

  stop(): Promise<void> {
    if (!this.#stopped) {
      this.#stopped = true;
      this.#parts.queue.leave(this);
      this.#places?.leave(this);
      for (const item of [...this.#held.keys()]) this.#release(item);
    }
    if (this.#idle === this.#most) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  async #runSlot(): Promise<void> {
    // Never inside the caller of `publish`: a handler that publishes would run the next handler on
    // its stack.
    await Promise.resolve();
    const { handler, queue, turn } = this.#parts;
    for (;;) {
      const pause = turn.spend();
      if (pause !== null) await pause;
      // Asked at the last moment: between this and the handler nothing else can take the slot.
      const item = this.#stopped || this.#free <= 0 ? undefined : queue.take();
      if (item === undefined) return this.#endSlot();
      let verdict: DeliveryVerdict;
      try {
        verdict = await handler(item.dispatch);
      } catch (error) {
        verdict = this.#judgeFailure(error);
      }
      if (verdict === 'later') return this.#giveBack(item);
    }
  }

  /** A handler must not fail; if it does, the message is not lost. */
  #judgeFailure(error: unknown): DeliveryVerdict {
    this.#parts.observer.noticed({
      level: 'error',
      name: 'delivery_handler_failed',
      message: 'A message handler failed; its message is delivered again later.',
      module: this.#parts.module,
      error,
    });
    return 'later';
  }

  #giveBack(item: Waiting): void {
    this.#parts.queue.hold();
    item.returns += 1;
    const delay = this.#stopped ? 0 : growingDelay(GROWTH, item.returns);
    const timer = this.#parts.clock.after(delay, () => this.#release(item));
    this.#held.set(item, timer);
    // A draining consumer keeps nothing back from those that stay.
    if (this.#stopped) this.#release(item);
  }

  /**
   * The slot stays taken while its message is held: a consumer that can take nothing must not go
   * through it all.
   */
  #release(item: Waiting): void {
    this.#held.get(item)?.cancel();
    if (!this.#held.delete(item)) return;
    this.#endSlot();
    this.#parts.queue.release(item, this);
  }

  #endSlot(): void {
    this.#idle += 1;
    if (!this.#stopped || this.#idle < this.#most) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
