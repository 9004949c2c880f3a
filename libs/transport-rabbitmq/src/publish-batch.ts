import type { Outgoing } from './envelope.js';

/** The messages of one publish, which succeeds when the broker has all of them. */
export class PublishBatch {
  /** Settles as the publish does. */
  readonly done: Promise<void>;
  /** When the wait is over, on the monotonic clock. */
  readonly deadline: number;
  readonly messages: readonly Outgoing[];
  #left: number;
  #resolve!: () => void;
  #reject!: (error: Error) => void;
  #settled = false;

  constructor(messages: readonly Outgoing[], deadline: number) {
    this.messages = messages;
    this.#left = messages.length;
    this.deadline = deadline;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** True when nobody waits for it any more. */
  get settled(): boolean {
    return this.#settled;
  }

  /** The broker has one more of its messages. True when that was the last one. */
  confirm(): boolean {
    this.#left -= 1;
    if (this.#left > 0 || this.#settled) return false;
    this.#settled = true;
    this.#resolve();
    return true;
  }

  fail(error: Error): void {
    this.#settled = true;
    this.#reject(error);
  }
}
