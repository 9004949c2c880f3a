import type { Dispatch } from '#core';
import type { MemoryConsumer } from './memory-consumer.js';

/** A message that waits to be taken. */
export interface Waiting {
  readonly dispatch: Dispatch;
  /** Its order time: the smallest goes first. */
  readonly orderAt: number;
  /** Order of publishing; decides among equal order times. */
  readonly serial: number;
  /** How often a handler gave it back. */
  returns: number;
}

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

/**
 * Waiting messages, the one with the smallest order time on top. Messages usually arrive in that
 * order; then `push` costs no move at all.
 */
class WaitingHeap {
  readonly #items: Waiting[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The one that `pop` would give. */
  get top(): Waiting | undefined {
    return this.#items[0];
  }

  push(item: Waiting): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = items[parentAt] as Waiting;
      if (!goesBefore(item, parent)) break;
      items[at] = parent;
      at = parentAt;
    }
    items[at] = item;
  }

  pop(): Waiting | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (items.length > 0) this.#sink(last as Waiting);
    return top;
  }

  clear(): void {
    this.#items.length = 0;
  }

  #sink(item: Waiting): void {
    const items = this.#items;
    const size = items.length;
    let at = 0;
    for (let childAt = 1; childAt < size; childAt = 2 * at + 1) {
      let child = items[childAt] as Waiting;
      const other = items[childAt + 1];
      if (other !== undefined && goesBefore(other, child)) {
        child = other;
        childAt += 1;
      }
      if (!goesBefore(child, item)) break;
      items[at] = child;
      at = childAt;
    }
    items[at] = item;
  }
}

function goesBefore(a: Waiting, b: Waiting): boolean {
  return a.orderAt < b.orderAt || (a.orderAt === b.orderAt && a.serial < b.serial);
}
