import type { Channel, ConsumeMessage } from 'amqplib';
import type { Timer } from '#ports';
import { orderTimeOf } from './envelope.js';
import type { PriorityClass } from './topology.js';

/** Begins the wait of a delivery, at whose end `giveUp` is called. */
type Patience = (delivery: Delivery, giveUp: () => void) => Timer;

/** A message of one of a module's queues, with the channel that brought it. */
export interface Delivery {
  readonly urgency: PriorityClass;
  readonly ledger: AckLedger;
  readonly message: ConsumeMessage;
}

/** How often the broker says that the message was given back before; 0 when it does not say. */
export function timesReturned({ message }: Delivery): number {
  const count: unknown = message.properties.headers?.['x-delivery-count'];
  return typeof count === 'number' && count > 0 ? count : 0;
}

/** A delivery that waits, until its wait is over. */
interface Waiter {
  readonly delivery: Delivery;
  readonly orderAt: number;
  readonly timer: Timer;
}

/**
 * Deliveries that wait for a slot, whatever queue they came from: the one with the smallest order
 * time goes next. So no stream of urgent messages stops the others.
 */
export class WaitingDeliveries {
  /** By order time; of the same, the one that came first is first. */
  #line: Waiter[] = [];
  /** How many there are of each class. */
  readonly #counts: Record<PriorityClass, number> = { high: 0, normal: 0, low: 0 };
  readonly #patience: Patience;
  readonly #giveUp: (delivery: Delivery) => void;

  /** `giveUp` is told of each whose wait is over, which waits no longer then. */
  constructor(patience: Patience, giveUp: (delivery: Delivery) => void) {
    this.#patience = patience;
    this.#giveUp = giveUp;
  }

  /** Whether one of this class waits; absent: any. */
  has(urgency?: PriorityClass): boolean {
    return (urgency === undefined ? this.#line.length : this.#counts[urgency]) > 0;
  }

  /** Whether one of another class than this waits. */
  hasBeside(urgency: PriorityClass): boolean {
    return this.#line.length > this.#counts[urgency];
  }

  /** From the end: messages mostly come in the order in which they are to go. */
  add(delivery: Delivery): void {
    const orderAt = orderTimeOf(delivery.message);
    const timer = this.#patience(delivery, () => {
      const at = this.#line.findIndex((waiter) => waiter.delivery === delivery);
      if (at === -1) return;
      this.#line.splice(at, 1).forEach(this.#leave);
      this.#giveUp(delivery);
    });
    const behind = this.#line.findLastIndex((waiter) => waiter.orderAt <= orderAt);
    this.#line.splice(behind + 1, 0, { delivery, orderAt, timer });
    this.#counts[delivery.urgency] += 1;
  }

  /** The one that goes next. */
  take(): Delivery | undefined {
    const next = this.#line.shift();
    return next && this.#leave(next);
  }

  /** Ends every wait; the caller answers for all of them. */
  takeAll(): readonly Delivery[] {
    return this.#line.splice(0).map(this.#leave);
  }

  /** Forgets those whose channel has ended. */
  dropEnded(): void {
    const ended = this.#line.filter(({ delivery }) => delivery.ledger.ended);
    this.#line = this.#line.filter(({ delivery }) => !delivery.ledger.ended);
    ended.forEach(this.#leave);
  }

  /** Ends the wait of one that stands in line no more. */
  readonly #leave = ({ delivery, timer }: Waiter): Delivery => {
    timer.cancel();
    this.#counts[delivery.urgency] -= 1;
    return delivery;
  };
}

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

  /** Deliveries without an answer. */
  get size(): number {
    return this.#open.size;
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
