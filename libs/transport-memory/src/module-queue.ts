import type { Dispatch } from '#core';
import type { MemoryConsumer } from './memory-consumer.js';
import { WaitingHeap, type Waiting } from './waiting-heap.js';

/** The messages of one module and who takes them. */
export class ModuleQueue {
  readonly #heap = new WaitingHeap();
  readonly #consumers = new Set<MemoryConsumer>();
  /** Messages that were given back and wait for their delay. */
  #held = 0;
  #serial = 0;

  /** Messages that nobody has in hand. */
  get depth(): number {
    return this.#heap.size + this.#held;
  }

  /** Consumers that take its messages. */
  get receivers(): number {
    return this.#consumers.size;
  }

  /** Messages that may be taken now. */
  get ready(): number {
    return this.#heap.size;
  }

  /** Order time of the message that comes next; infinite where none may be taken. */
  get nextAt(): number {
    return this.#heap.top?.orderAt ?? Infinity;
  }

  /** Adds a message without waking anyone: `wake` follows when all of a publish are in. */
  add(dispatch: Dispatch): void {
    const { orderAt } = dispatch;
    this.#heap.push({ dispatch, orderAt, serial: this.#serial, returns: 0 });
    this.#serial += 1;
  }

  wake(): void {
    for (const consumer of this.#consumers) consumer.wake();
  }

  take(): Waiting | undefined {
    return this.#heap.pop();
  }

  hold(): void {
    this.#held += 1;
  }

  /**
   * Ends a `hold`. The consumer that gave the message back goes to the end of the line, so that
   * others may take it first.
   */
  release(item: Waiting, from: MemoryConsumer): void {
    this.#held -= 1;
    this.#heap.push(item);
    if (this.#consumers.delete(from)) this.#consumers.add(from);
    this.wake();
  }

  join(consumer: MemoryConsumer): void {
    this.#consumers.add(consumer);
    consumer.wake();
  }

  leave(consumer: MemoryConsumer): void {
    this.#consumers.delete(consumer);
  }

  /** Forgets every message and sends every consumer home. */
  close(): void {
    for (const consumer of this.#consumers) void consumer.stop();
    this.#heap.clear();
    this.#held = 0;
  }
}
