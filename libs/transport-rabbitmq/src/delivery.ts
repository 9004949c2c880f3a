import type { Channel, ConsumeMessage } from 'amqplib';
import type { Timer } from '#ports';
import { PRIORITY_CLASSES, type PriorityClass } from './topology.js';

/** Starts that each class gets out of 21 while all three wait. */
const WEIGHTS: Readonly<Record<PriorityClass, number>> = { high: 16, normal: 4, low: 1 };

/** Deliveries of one class, oldest first, each with the end of its wait. */
interface Line {
  readonly weight: number;
  readonly waiting: Map<Delivery, Timer>;
  /** Grows while others are served, so that the turn of every class comes. */
  credit: number;
}

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

/**
 * Deliveries that wait for a slot: a line for each class. The more urgent class goes first nearly
 * always, and every class that waits gets its part: no stream of urgent messages stops the others.
 */
export class WaitingDeliveries {
  readonly #lines: readonly Line[] = PRIORITY_CLASSES.map((urgency) => {
    return { weight: WEIGHTS[urgency], waiting: new Map(), credit: 0 };
  });
  readonly #patience: Patience;
  readonly #giveUp: (delivery: Delivery) => void;

  /** `giveUp` is told of each whose wait is over, which waits no longer then. */
  constructor(patience: Patience, giveUp: (delivery: Delivery) => void) {
    this.#patience = patience;
    this.#giveUp = giveUp;
  }

  add(delivery: Delivery): void {
    const waiting = this.#lines[PRIORITY_CLASSES.indexOf(delivery.urgency)]?.waiting;
    const timer = this.#patience(delivery, () => {
      if (waiting?.delete(delivery)) this.#giveUp(delivery);
    });
    waiting?.set(delivery, timer);
  }

  /** The one that goes next. */
  take(): Delivery | undefined {
    let next: Line | undefined;
    let given = 0;
    for (const line of this.#lines) {
      if (line.waiting.size === 0) continue;
      line.credit += line.weight;
      given += line.weight;
      if (next === undefined || line.credit > next.credit) next = line;
    }
    if (next === undefined) return undefined;
    next.credit -= given;
    const [delivery] = next.waiting.keys();
    forget(next, delivery as Delivery);
    return delivery;
  }

  /** Ends every wait; the caller answers for all of them. */
  takeAll(): readonly Delivery[] {
    return this.#lines.flatMap((line) => {
      const all = [...line.waiting.keys()];
      for (const delivery of all) forget(line, delivery);
      return all;
    });
  }

  /** Forgets those whose channel has ended. */
  dropEnded(): void {
    for (const line of this.#lines) {
      for (const delivery of [...line.waiting.keys()]) {
        if (delivery.ledger.ended) forget(line, delivery);
      }
    }
  }
}

function forget(line: Line, delivery: Delivery): void {
  line.waiting.get(delivery)?.cancel();
  line.waiting.delete(delivery);
  if (line.waiting.size === 0) line.credit = 0;
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
