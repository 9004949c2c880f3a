import type { Dispatch } from '#core';

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

/**
 * Waiting messages, the one with the smallest order time on top. Messages usually arrive in that
 * order; then `push` costs no move at all.
 */
export class WaitingHeap {
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
