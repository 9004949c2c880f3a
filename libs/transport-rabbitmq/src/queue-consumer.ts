import type { Channel } from 'amqplib';
import type { Consumer, Timer } from '#ports';
import { AckLedger } from './ack-ledger.js';
import type { AdminChannel } from './admin-channel.js';
import type { BrokerLink } from './broker-link.js';
import { ChannelKeeper, closeQuietly } from './channel-keeper.js';
import type { Delivery } from './delivery.js';
import { DeliveryDesk, type DeskParts } from './delivery-desk.js';
import type { StuckQueues } from './stuck-queues.js';
import { limited, settled } from './time-limit.js';
import { declareQueue, moduleQueue } from './topology.js';

const ANSWER_TIMEOUT_MS = 1_500;
/** Long: where a queue has no leader, each try leaves a channel that the broker never closes. */
const SUBSCRIBE_TIMEOUT_MS = 60_000;

/** What a consumer works with. */
export interface ConsumerParts extends DeskParts {
  readonly admin: AdminChannel;
  readonly link: BrokerLink;
  readonly stuck: StuckQueues;
}

/** A subscription that is still there. */
interface Session {
  readonly channel: Channel;
  readonly ledger: AckLedger;
  /** When it began, on the monotonic clock. */
  readonly since: number;
  consumerTag: string | null;
}

/** Consumes one module's queue and subscribes anew whenever the subscription ends. */
export class QueueConsumer implements Consumer {
  readonly #parts: ConsumerParts;
  readonly #desk: DeliveryDesk;
  readonly #keeper: ChannelKeeper<Channel>;
  #session: Session | null = null;
  #stopped: Promise<void> | null = null;
  #timer: Timer | null = null;
  #quiet = true;

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    this.#desk = new DeliveryDesk(parts);
    this.#keeper = new ChannelKeeper<Channel>(
      { ...parts.settings, link: parts.link },
      {
        purpose: `consume ${moduleQueue(parts.module)}`,
        create: (model) => model.createChannel(),
        setUp: (channel) => this.#subscribe(channel),
        ended: () => this.#endSession(),
      },
    );
  }

  /** Subscribes if the broker is there; else later, by itself. */
  start(): Promise<void> {
    this.#watch();
    return this.#keeper.open();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /**
   * A queue was gone and is there again. A subscription from before may be one to nothing, and what
   * it had in hand went with the old queue.
   */
  replaced(queue: string, missingSince: number): void {
    if (queue !== moduleQueue(this.#parts.module) || this.#session === null) return;
    if (this.#session.since < missingSince) this.#keeper.renew();
  }

  /** Lets go of the broker without waiting for handlers. */
  async abandon(): Promise<void> {
    this.#endWatch();
    void this.#desk.stop();
    await this.#closeChannel();
  }

  async #stop(): Promise<void> {
    this.#endWatch();
    const cancelled = this.#cancel();
    // After the cancel is sent: what is given back must not be delivered to this consumer again.
    const idle = this.#desk.stop();
    await Promise.all([cancelled, idle]);
    await this.#closeChannel();
  }

  /** Looks whether anything came since the last look. */
  #watch(): void {
    const { clock, renewIdleMs } = this.#parts.settings;
    this.#quiet = true;
    this.#timer = clock.after(renewIdleMs, () => {
      if (this.#quiet && this.#desk.idle) this.#keeper.renew();
      this.#watch();
    });
  }

  #endWatch(): void {
    this.#keeper.stop();
    this.#timer?.cancel();
  }

  #take(delivery: Delivery): void {
    this.#quiet = false;
    this.#desk.take(delivery);
  }

  async #subscribe(channel: Channel): Promise<void> {
    const { admin, concurrency, module } = this.#parts;
    const queue = moduleQueue(module);
    const ledger = new AckLedger(channel);
    const since = this.#parts.settings.clock.monotonic();
    const session: Session = { channel, ledger, since, consumerTag: null };
    this.#session = session;
    await declareQueue(admin, queue);
    await channel.prefetch(concurrency);
    const answer = channel.consume(queue, (message) => {
      // The broker ends a subscription when its queue is deleted or moves.
      if (message === null) this.#keeper.end(channel);
      else this.#take({ ledger, message });
    });
    const { consumerTag } = await this.#answerOf(queue, answer);
    session.consumerTag = consumerTag;
  }

  /** The queue is suspected for as long as it does not answer: suspicions end with connections. */
  async #answerOf<T>(queue: string, answer: PromiseLike<T>): Promise<T> {
    const { settings, stuck } = this.#parts;
    const { clock, confirmTimeoutMs } = settings;
    const suspect = (): void => {
      stuck.suspect(queue, confirmTimeoutMs);
      timer = clock.after(confirmTimeoutMs, suspect);
    };
    let timer = clock.after(confirmTimeoutMs, suspect);
    try {
      const limit = { clock, ms: SUBSCRIBE_TIMEOUT_MS };
      const answered = await limited(Promise.resolve(answer), 'subscribing', limit);
      stuck.answered(queue);
      return answered;
    } finally {
      timer.cancel();
    }
  }

  #endSession(): void {
    this.#session?.ledger.end();
    this.#session = null;
    this.#desk.dropEnded();
  }

  async #cancel(): Promise<void> {
    const session = this.#session;
    if (session === null || session.consumerTag === null) return;
    const { clock } = this.#parts.settings;
    try {
      const answer = session.channel.cancel(session.consumerTag);
      await settled(answer, { clock, ms: ANSWER_TIMEOUT_MS });
    } catch {
      // The channel is closed: so is the subscription.
    }
  }

  /** Closing the channel waits until the broker has seen the answers that were given on it. */
  async #closeChannel(): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    const { clock } = this.#parts.settings;
    session.ledger.flush();
    await settled(closeQuietly(session.channel), { clock, ms: ANSWER_TIMEOUT_MS });
    this.#endSession();
  }
}
