import type { Passing } from './passing.js';

type Write = Pick<Passing, 'border'>;

/**
 * The work that a process has in hand: tells reads and messages of one piece of work from others.
 */
export class InHand {
  readonly #delivered = new Map<string, number>();
  readonly #writes = new Map<string, Write>();

  /** A message about the task was delivered: it is read next, to be claimed. */
  delivered(taskId: string): void {
    this.#delivered.set(taskId, (this.#delivered.get(taskId) ?? 0) + 1);
  }

  /** The task is about to be claimed. */
  claims(taskId: string): void {
    this.#delivered.delete(taskId);
  }

  /** Whether a read of the task is that of a delivered message. */
  awaitsClaim(taskId: string): boolean {
    return this.#delivered.has(taskId);
  }

  /** The task was written: messages about it that leave now follow from that. */
  wrote(taskId: string, write: Write): void {
    this.#writes.set(taskId, write);
  }

  /** The last write of a task by this process. */
  lastWrite(taskId: string): Write | undefined {
    return this.#writes.get(taskId);
  }
}
