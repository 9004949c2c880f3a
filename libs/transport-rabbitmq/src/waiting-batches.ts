import { TransportUnavailable, type Clock, type TimeLimit, type Timer } from '#ports';
import type { Outgoing } from './envelope.js';
import { PublishBatch } from './publish-batch.js';

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
