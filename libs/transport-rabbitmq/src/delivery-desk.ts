import type { Crowd, DeliveryHandler, DeliveryVerdict, Timer } from '#ports';
import { brokerDelay } from './back-off.js';
import { UnreadableBody } from './body.js';
import { type Delivery, timesReturned, WaitingDeliveries } from './delivery.js';
import { type EnvelopeWriter, readEnvelope } from './envelope.js';
import type { Settings } from './options.js';
import { digestOf, parkedMessage } from './parking.js';
import type { Publisher } from './publisher.js';
import { moduleQueue, PRIORITY_CLASSES, type PriorityClass } from './topology.js';

/** Within this the next message of a queue mostly comes, in milliseconds. */
const NEXT_COMES_MS = 50;

/** The dependencies of a desk. */
export interface DeskParts {
  readonly concurrency: number;
  readonly handler: DeliveryHandler;
  readonly module: string;
  readonly publisher: Publisher;
  readonly settings: Settings;
  readonly writer: EnvelopeWriter;
}

/**
 * Hands the deliveries of a module to the handler, at most `concurrency` at a time whatever queue
 * they came from, and carries its verdicts out.
 * It outlives the channels: after a reconnect the broker fills the new channel while handlers of
 * the old one are still busy, and those deliveries wait here.
 */
export class DeliveryDesk {
  readonly #parts: DeskParts;
  readonly #slots: Slots;
  readonly #held = new Map<Delivery, Timer>();
  readonly #waiting: WaitingDeliveries;
  /** Messages of each class that the broker is about to send, by when they come at the latest. */
  readonly #coming: Readonly<Record<PriorityClass, Timer[]>> = { high: [], normal: [], low: [] };
  /** Verdicts `later` in a row: this process cannot take anything now, whatever the message. */
  #refusals = 0;
  #stopped = false;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#slots = new Slots(parts.concurrency);
    const { clock, entropy } = parts.settings;
    // One that waits here for long keeps other processes from it, which may have a slot.
    this.#waiting = new WaitingDeliveries(
      (delivery, giveUp) => {
        return clock.after(brokerDelay(2 + timesReturned(delivery), entropy), giveUp);
      },
      (delivery) => void this.#giveBack(delivery),
    );
  }

  take(delivery: Delivery): void {
    delivery.ledger.delivered(delivery.message.fields.deliveryTag);
    if (this.#stopped) requeue(delivery);
    else if (!this.#waiting.has() && this.#slots.take()) void this.#run(delivery);
    // Another process may have a slot, and gets it from the queue behind.
    else if (!delivery.ledger.isKept) requeue(delivery);
    else {
      this.#waiting.add(delivery);
      this.#came(delivery.urgency);
    }
  }

  /** A channel is gone: the broker delivers again what nobody has in hand. */
  dropEnded(): void {
    this.#waiting.dropEnded();
    for (const delivery of [...this.#held.keys()]) {
      if (delivery.ledger.ended) this.#release(delivery);
    }
  }

  /** Gives back what no handler has, and resolves when the handlers in hand have answered. */
  stop(): Promise<void> {
    this.#stopped = true;
    for (const delivery of this.#waiting.takeAll()) requeue(delivery);
    for (const delivery of [...this.#held.keys()]) this.#release(delivery);
    return this.#slots.idle();
  }

  async #run(delivery: Delivery): Promise<void> {
    const verdict = await this.#judge(delivery);
    if (verdict === 'later') return this.#hold(delivery);
    this.#refusals = 0;
    const { ledger, urgency } = delivery;
    const mayHaveMore = ledger.isKept && ledger.size >= this.#parts.concurrency;
    ledger.ack(delivery.message.fields.deliveryTag);
    // Of a queue that has no more in hand than this, nothing waits at the broker.
    this.#next(mayHaveMore ? urgency : null);
  }

  /** Whether the next of a class is on its way, which may go before all that wait. */
  get #isIncomplete(): boolean {
    return PRIORITY_CLASSES.some((each) => {
      return this.#coming[each].length > 0 && !this.#waiting.has(each);
    });
  }

  /** Passes a slot on. `coming`: the broker sends the next of this class, if there is one. */
  #next(coming: PriorityClass | null): void {
    this.#slots.free();
    // It is worth a wait only where one of another class would go before it.
    if (coming !== null && this.#waiting.hasBeside(coming)) {
      const timer = this.#parts.settings.clock.after(NEXT_COMES_MS, () => this.#came(coming));
      this.#coming[coming].push(timer);
    }
    this.#fill();
  }

  /** The next message of a class has come, or will not. */
  #came(urgency: PriorityClass): void {
    this.#coming[urgency].shift()?.cancel();
    this.#fill();
  }

  /** Gives free slots to what waits, once it is known what that is. */
  #fill(): void {
    while (this.#waiting.has() && !this.#isIncomplete && this.#slots.take()) {
      const next = this.#waiting.take();
      if (next !== undefined) void this.#run(next);
    }
  }

  /** The broker may put it behind all others: where it has no priority, nothing tells its turn. */
  async #giveBack(delivery: Delivery): Promise<void> {
    const isPlain = delivery.urgency === 'normal';
    const verdict = isPlain ? await this.#judge(delivery, 'no_place') : 'later';
    if (verdict === 'later') requeue(delivery);
    else delivery.ledger.ack(delivery.message.fields.deliveryTag);
  }

  async #judge(
    delivery: Delivery,
    crowd: Crowd | undefined = this.#waiting.hasBeside('normal') ? 'mixed' : undefined,
  ): Promise<DeliveryVerdict> {
    try {
      const dispatch = readEnvelope(delivery.message);
      const { handler, module } = this.#parts;
      if (dispatch.message.module !== module) throw new UnreadableBody('for another module');
      return await handler(dispatch, crowd);
    } catch (error) {
      if (error instanceof UnreadableBody) return this.#park(delivery, error.message);
      this.#notice(
        'delivery_handler_failed',
        'A handler failed; its message is delivered again.',
        error,
      );
      return 'later';
    }
  }

  /** The message leaves its queue only when the parking queue has it. */
  async #park(delivery: Delivery, reason: string): Promise<DeliveryVerdict> {
    const { module, publisher, writer } = this.#parts;
    const queue = moduleQueue(module, delivery.urgency);
    try {
      const digest = await digestOf(delivery.message.content);
      await publisher.send([parkedMessage(delivery.message, { queue, reason, digest, writer })]);
    } catch (error) {
      this.#notice('parking_failed', `A message can neither be read nor parked: ${reason}.`, error);
      return 'later';
    }
    this.#notice('message_parked', `A message cannot be read, and is parked: ${reason}.`);
    return 'ack';
  }

  /** The slot stays taken: a process that can take nothing must not go through the whole queue. */
  #hold(delivery: Delivery): void {
    const { clock, entropy } = this.#parts.settings;
    const tries = Math.max(timesReturned(delivery), this.#refusals);
    this.#refusals += 1;
    const delay = brokerDelay(1 + tries, entropy);
    this.#held.set(
      delivery,
      clock.after(delay, () => this.#release(delivery)),
    );
    if (this.#stopped || delivery.ledger.ended) this.#release(delivery);
  }

  #release(delivery: Delivery): void {
    this.#held.get(delivery)?.cancel();
    this.#held.delete(delivery);
    requeue(delivery);
    this.#next(null);
  }

  #notice(name: string, message: string, error?: unknown): void {
    const { module, settings } = this.#parts;
    settings.observer.noticed({ level: 'error', name, message, module, error });
  }
}

function requeue({ ledger, message }: Delivery): void {
  ledger.requeue(message.fields.deliveryTag);
}

/** The handlers that may be busy at one time, whichever channel their messages came by. */
class Slots {
  readonly #count: number;
  #busy = 0;
  #whenIdle: (() => void)[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  /** Takes a slot; false when all are busy. */
  take(): boolean {
    if (this.#busy >= this.#count) return false;
    this.#busy += 1;
    return true;
  }

  free(): void {
    this.#busy -= 1;
    if (this.#busy === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves when no slot is taken. */
  idle(): Promise<void> {
    if (this.#busy === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }
}
