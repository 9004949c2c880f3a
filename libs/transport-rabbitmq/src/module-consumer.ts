import type { Consumer, Timer } from '#ports';
import type { ClassQueues } from './class-queues.js';
import { DeliveryDesk, type DeskParts } from './delivery-desk.js';
import { QueueConsumer, type QueueParts } from './queue-consumer.js';
import { moduleQueue, PRIORITY_CLASSES, type PriorityClass, type QueueKind } from './topology.js';

/** The dependencies of the consumer of a module. */
interface ConsumerParts
  extends DeskParts, Pick<QueueParts, 'admin' | 'concurrency' | 'link' | 'stuck' | 'troubles'> {
  readonly classes: ClassQueues;
}

/** How often a queue is looked for that this process may not make, in milliseconds. */
const LOOK_FOR_REFUSED_MS = 60_000;

/**
 * Consumes the queues of one module: that of class *normal* always, the others as soon as they are
 * there. The one that keeps nothing is done without where it may not be made. One desk has the
 * messages of all of them, so that its slots bound what is in hand.
 */
export class ModuleConsumer implements Consumer {
  readonly #parts: ConsumerParts;
  readonly #desk: DeliveryDesk;
  readonly #consumers = new Map<QueueKind, QueueConsumer>();
  #stopped: Promise<void> | null = null;
  #ended = false;
  #timer: Timer | null = null;
  /** Until the queue that keeps nothing is looked for again. */
  #again: Timer | null = null;

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
    this.#again?.cancel();
  }

  #consume(kind: QueueKind): Promise<void> {
    if (this.#ended || this.#consumers.has(kind)) return Promise.resolve();
    const refused = (): void => {
      if (kind === 'immediate') this.#doWithout(consumer);
    };
    const parts = { ...this.#parts, desk: this.#desk, kind, refused };
    const consumer: QueueConsumer = new QueueConsumer(parts);
    this.#consumers.set(kind, consumer);
    return consumer.start();
  }

  /** An administrator may make it meanwhile, or allow it. */
  #doWithout(consumer: QueueConsumer): void {
    const { classes, module, settings } = this.#parts;
    const queue = moduleQueue(module, 'immediate');
    void consumer.close();
    if (this.#ended || this.#consumers.get('immediate') !== consumer) return;
    const look = async (): Promise<void> => {
      if (this.#ended) return;
      classes.forget(queue);
      if (await classes.find(queue)) {
        this.#consumers.delete('immediate');
        await this.#consume('immediate');
      } else this.#again = settings.clock.after(LOOK_FOR_REFUSED_MS, () => void look());
    };
    this.#again = settings.clock.after(LOOK_FOR_REFUSED_MS, () => void look());
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
