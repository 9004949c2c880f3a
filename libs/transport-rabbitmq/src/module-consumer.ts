import type { Consumer, Timer } from '#ports';
import type { ClassQueues } from './class-queues.js';
import { DeliveryDesk, type DeskParts } from './delivery-desk.js';
import { PRIORITY_CLASSES, type PriorityClass, type QueueKind } from './priority-class.js';
import { QueueConsumer, type QueueParts } from './queue-consumer.js';
import { moduleQueue } from './topology.js';

/** The dependencies of the consumer of a module. */
interface ConsumerParts
  extends DeskParts, Pick<QueueParts, 'admin' | 'concurrency' | 'link' | 'stuck'> {
  readonly classes: ClassQueues;
}

/**
 * Consumes the queues of one module: that of class *normal* always, the others as soon as they are
 * there. One desk has the messages of all of them, so that its slots bound what is in hand.
 */
export class ModuleConsumer implements Consumer {
  readonly #parts: ConsumerParts;
  readonly #desk: DeliveryDesk;
  readonly #consumers = new Map<QueueKind, QueueConsumer>();
  #stopped: Promise<void> | null = null;
  #ended = false;
  #timer: Timer | null = null;

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    this.#desk = new DeliveryDesk(parts);
  }

  /** Subscribes if the broker is there; else later, by itself. */
  async start(): Promise<void> {
    await Promise.all([this.#consume('normal'), this.#consume('immediate'), this.#look()]);
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** A queue was gone, or there had never been one, and is there now. */
  replaced(queue: string, missingSince: number): void {
    const { module } = this.#parts;
    const urgency = PRIORITY_CLASSES.find((each) => moduleQueue(module, each) === queue);
    if (urgency === undefined) return;
    const consumer = this.#consumers.get(urgency);
    if (consumer === undefined) void this.#consume(urgency);
    else consumer.replaced(missingSince);
  }

  /** Lets go of the broker without waiting for handlers. */
  async abandon(): Promise<void> {
    this.#end();
    void this.#desk.stop();
    await Promise.all([...this.#consumers.values()].map((consumer) => consumer.close()));
  }

  async #stop(): Promise<void> {
    this.#end();
    const consumers = [...this.#consumers.values()];
    const cancelled = consumers.map((consumer) => consumer.cancel());
    // After the cancels are sent: what is given back must not be delivered here again.
    await Promise.all([this.#desk.stop(), ...cancelled]);
    await Promise.all(consumers.map((consumer) => consumer.close()));
  }

  #end(): void {
    this.#ended = true;
    this.#timer?.cancel();
  }

  #consume(kind: QueueKind): Promise<void> {
    if (this.#ended || this.#consumers.has(kind)) return Promise.resolve();
    const consumer = new QueueConsumer({ ...this.#parts, desk: this.#desk, kind });
    this.#consumers.set(kind, consumer);
    return consumer.start();
  }

  /** Subscribes to what is there by now, and looks again while something is not. */
  async #look(): Promise<void> {
    const { classes, module, settings } = this.#parts;
    const isMissing = (urgency: PriorityClass): boolean => !this.#consumers.has(urgency);
    const missing = PRIORITY_CLASSES.filter(isMissing);
    await Promise.all(
      missing.map(async (urgency) => {
        if (urgency === 'normal') return;
        if (await classes.find(moduleQueue(module, urgency))) await this.#consume(urgency);
      }),
    );
    if (this.#ended || !PRIORITY_CLASSES.some(isMissing)) return;
    this.#timer = settings.clock.after(settings.findQueuesMs, () => void this.#look());
  }
}
