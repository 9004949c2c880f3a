/** Deliveries that may start before the event loop gets its turn. */
const DELIVERIES_PER_TURN = 256;

/**
 * Lets timers and sockets live beside a long queue of messages whose handlers answer at once: after
 * a number of deliveries, the next ones wait for the following turn of the event loop.
 */
export class Turn {
  #left = DELIVERIES_PER_TURN;
  #next: Promise<void> | null = null;

  /** A promise to await before the next delivery, or null when it may start now. */
  spend(): Promise<void> | null {
    if (this.#left > 0) {
      this.#left -= 1;
      return null;
    }
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#left = DELIVERIES_PER_TURN;
        this.#next = null;
        resolve();
      });
    });
    return this.#next;
  }
}
