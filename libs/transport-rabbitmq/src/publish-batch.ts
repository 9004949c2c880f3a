import { type Clock, type TimeLimit, type Timer, TransportUnavailable } from '#ports';
import type { Outgoing } from './envelope.js';

/** Enough to keep the broker busy, and little enough to be lost and sent again. */
const WINDOW_MESSAGES = 1_000;

const WINDOW_BYTES = 16 * 1_048_576;

/** A message in line or on its way. */
export interface Flight {
  readonly batch: PublishBatch;
  readonly outgoing: Outgoing;
  /** It was sent before, and came back for want of a queue. */
  readonly again: boolean;
}

/** The messages of one publish, which succeeds when the broker has all of them. */
class PublishBatch {
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
      if (this.#messages >= WINDOW_MESSAGES || this.#bytes >= WINDOW_BYTES) return undefined;
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

/** The publishes whose callers wait, oldest first, under one timer. */
export class WaitingBatches {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #expired: (batch: PublishBatch) => void;
  readonly #batches = new Set<PublishBatch>();
  #timer: Timer | null = null;

  /** `expired` is told of each batch that was not confirmed in time. */
  constructor(
    limit: TimeLimit & { readonly clock: Clock },
    expired: (batch: PublishBatch) => void,
  ) {
    this.#clock = limit.clock;
    this.#timeoutMs = limit.ms;
    this.#expired = expired;
  }

  start(messages: readonly Outgoing[]): PublishBatch {
    const batch = new PublishBatch(messages, this.#clock.monotonic() + this.#timeoutMs);
    this.#batches.add(batch);
    this.#timer ??= this.#clock.after(this.#timeoutMs, () => this.#expire());
    return batch;
  }

  /** Those whose callers wait now. */
  all(): Iterable<PublishBatch> {
    return this.#batches;
  }

  /** The broker has one more message of this batch. */
  confirm(batch: PublishBatch): void {
    if (batch.confirm()) this.#batches.delete(batch);
  }

  fail(batch: PublishBatch, error: Error): void {
    if (this.#batches.delete(batch)) batch.fail(error);
  }

  failAll(message: string, cause?: unknown): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#batches.size === 0) return;
    const error = new TransportUnavailable(message, { cause });
    for (const batch of this.#batches) batch.fail(error);
    this.#batches.clear();
  }

  /**
   * The timer is not moved at each publish: it looks at the oldest, then waits for the next one.
   */
  #expire(): void {
    const now = this.#clock.monotonic();
    this.#timer = null;
    for (const batch of this.#batches) {
      if (batch.deadline > now) {
        this.#timer = this.#clock.after(batch.deadline - now, () => this.#expire());
        return;
      }
      const text = `The broker did not confirm a message within ${this.#timeoutMs} ms.`;
      this.fail(batch, new TransportUnavailable(text));
      this.#expired(batch);
    }
  }
}
