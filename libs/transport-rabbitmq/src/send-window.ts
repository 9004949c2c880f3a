import type { Outgoing } from './envelope.js';
import type { PublishBatch } from './publish-batch.js';

/** Enough to keep the broker busy, and little enough to be lost and sent again. */
const MESSAGES = 1_000;
const BYTES = 16 * 1_048_576;

/** A message in line or on its way. */
export interface Flight {
  readonly batch: PublishBatch;
  readonly outgoing: Outgoing;
  /** It was sent before, and came back for want of a queue. */
  readonly again: boolean;
}

/** The line of messages to send, and how much of it may be on its way unconfirmed. */
export class SendWindow {
  #line: Flight[] = [];
  #head = 0;
  #messages = 0;
  #bytes = 0;

  append(flight: Flight): void {
    this.#line.push(flight);
  }

  /** The next message that may leave now. Those whose caller has given up stay at home. */
  next(): Flight | undefined {
    while (this.#head < this.#line.length) {
      if (this.#messages >= MESSAGES || this.#bytes >= BYTES) return undefined;
      const flight = this.#line[this.#head] as Flight;
      this.#head += 1;
      if (flight.batch.settled) continue;
      this.#messages += 1;
      this.#bytes += flight.outgoing.content.length;
      return flight;
    }
    this.#line.length = 0;
    this.#head = 0;
    return undefined;
  }

  /** The broker has answered for this message. */
  landed(flight: Flight): void {
    this.#messages -= 1;
    this.#bytes -= flight.outgoing.content.length;
  }

  /** Forgets the line and everything on its way. */
  clear(): void {
    this.#line = [];
    this.#head = 0;
    this.#messages = 0;
    this.#bytes = 0;
  }
}
