import type { Channel } from 'amqplib';

/**
 * The deliveries of one channel that wait for an answer. Acknowledgements given in one turn of the
 * event loop leave together; all that lie below the oldest open delivery become a single frame.
 *
 * An answer never throws, whatever became of the channel, and a second one is ignored: the broker
 * delivers again what a closed channel had open, on another channel with tags of its own.
 */
export class AckLedger {
  readonly #channel: Channel;
  /**
   * Tags without an answer; a set keeps them in the order of delivery, which is that of the tags.
   */
  readonly #open = new Set<number>();
  #acked: number[] = [];
  #flushing = false;
  #ended = false;

  /** `isKept`: whether the queue takes back what is given back to it; else it is passed on. */
  constructor(
    channel: Channel,
    readonly isKept = true,
  ) {
    this.#channel = channel;
  }

  /** True when the channel is gone: answers are of no use any more. */
  get ended(): boolean {
    return this.#ended;
  }

  /** True when every delivery has been answered. */
  get clear(): boolean {
    return this.#open.size === 0;
  }

  delivered(tag: number): void {
    this.#open.add(tag);
  }

  ack(tag: number): void {
    if (!this.#open.delete(tag)) return;
    this.#acked.push(tag);
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.flush());
  }

  /** Gives the message back to the queue, or on to the one behind it. */
  requeue(tag: number): void {
    if (this.#open.delete(tag)) {
      this.#send(() => this.#channel.nack(message(tag), false, this.isKept));
    }
  }

  /** Sends what waits for the end of the turn. */
  flush(): void {
    this.#flushing = false;
    const acked = this.#acked;
    if (acked.length === 0) return;
    this.#acked = [];
    const [oldestOpen = Infinity] = this.#open;
    let below = 0;
    for (const tag of acked) {
      if (tag > oldestOpen) this.#send(() => this.#channel.ack(message(tag), false));
      else if (tag > below) below = tag;
    }
    if (below > 0) this.#send(() => this.#channel.ack(message(below), true));
  }

  end(): void {
    this.#ended = true;
    this.#open.clear();
    this.#acked = [];
  }

  #send(frame: () => void): void {
    if (this.#ended) return;
    try {
      frame();
    } catch {
      // amqplib throws when the channel closed before we were told; its end is near.
      this.end();
    }
  }
}

function message(deliveryTag: number): Parameters<Channel['ack']>[0] {
  return { fields: { deliveryTag } } as Parameters<Channel['ack']>[0];
}
