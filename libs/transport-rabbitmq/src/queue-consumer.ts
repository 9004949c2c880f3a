import type { Channel, ConsumeMessage } from 'amqplib';
import type { Timer } from '#ports';
import { AckLedger } from './delivery.js';
import type { AdminChannel } from './admin-channel.js';
import type { BrokerLink } from './broker-link.js';
import { replyCodeOf, withCause } from './broker-words.js';
import { ChannelKeeper, closeQuietly } from './channel-keeper.js';
import { isKnock } from './class-queues.js';
import type { DeliveryDesk } from './delivery-desk.js';
import type { Settings } from './options.js';
import type { StuckQueues } from './stuck-queues.js';
import { brokerAnswer, settled } from './time-limit.js';
import { declareQueue, moduleQueue, type QueueKind } from './topology.js';
import type { Troubles } from './troubles.js';

const ACCESS_REFUSED = 403;
const ANSWER_TIMEOUT_MS = 1_500;
/** Long: where a queue has no leader, each try leaves a channel that the broker never closes. */
const SUBSCRIBE_TIMEOUT_MS = 60_000;

/** The dependencies of the consumer of a queue. */
export interface QueueParts {
  readonly admin: AdminChannel;
  /** Of the module's messages in hand at once, whichever of its queues they come from. */
  readonly concurrency: number;
  readonly desk: DeliveryDesk;
  readonly link: BrokerLink;
  readonly module: string;
  readonly settings: Settings;
  readonly stuck: StuckQueues;
  readonly kind: QueueKind;
  /** Called where the broker does not let this process make or consume the queue. */
  readonly refused: () => void;
  readonly troubles: Troubles;
}

/** A subscription that is still there. */
interface Session {
  readonly channel: Channel;
  readonly ledger: AckLedger;
  /** When it began, on the monotonic clock. */
  readonly since: number;
  consumerTag: string | null;
}

/**
 * Consumes one queue and subscribes again whenever the subscription ends. The broker hands out as
 * many messages as the module may have in hand, though other queues may have filled its slots: so
 * the desk can tell which goes next.
 */
export class QueueConsumer {
  readonly #parts: QueueParts;
  readonly #queue: string;
  readonly #keeper: ChannelKeeper<Channel>;
  #session: Session | null = null;
  #timer: Timer | null = null;
  #quiet = true;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#queue = moduleQueue(parts.module, parts.kind);
    this.#keeper = new ChannelKeeper<Channel>(
      { ...parts.settings, link: parts.link },
      {
        purpose: `consume ${this.#queue}`,
        create: (model) => model.createChannel(),
        setUp: (channel) => this.#subscribe(channel),
        ended: () => this.#endSession(),
        failed: (error) => this.#failed(error),
      },
    );
  }

  /** Subscribes if the broker is there; else later, by itself. */
  start(): Promise<void> {
    this.#watch();
    return this.#keeper.open();
  }

  /**
   * The queue was gone and is there again. A subscription from before may be one to nothing, and
   * what it had in hand went with the old queue.
   */
  replaced(missingSince: number): void {
    if (this.#session !== null && this.#session.since < missingSince) this.#keeper.renew();
  }

  /** Looks whether anything came since the last look. */
  #watch(): void {
    const { clock, renewIdleMs } = this.#parts.settings;
    this.#quiet = true;
    this.#timer = clock.after(renewIdleMs, () => {
      if (this.#quiet && (this.#session?.ledger.size ?? 0) === 0) this.#keeper.renew();
      this.#watch();
    });
  }

  async #subscribe(channel: Channel): Promise<void> {
    const { admin, concurrency, desk, kind } = this.#parts;
    const urgency = kind === 'immediate' ? 'normal' : kind;
    const queue = this.#queue;
    const ledger = new AckLedger(channel, kind !== 'immediate');
    const since = this.#parts.settings.clock.monotonic();
    const session: Session = { channel, ledger, since, consumerTag: null };
    this.#session = session;
    await declareQueue(admin, queue);
    // One more, or none would wait and go next while all that are in hand are urgent ones.
    await channel.prefetch(urgency === 'high' ? concurrency + 1 : concurrency);
    const answer = channel.consume(queue, (message) => {
      // The broker ends a subscription when its queue is deleted or moves.
      if (message === null) return this.#keeper.end(channel);
      if (isKnock(message)) return dismiss(ledger, message);
      this.#quiet = false;
      desk.take({ ledger, message, urgency });
    });
    const { consumerTag } = await this.#answerOf(queue, answer);
    session.consumerTag = consumerTag;
    this.#parts.troubles.over(queue, 'not_received');
  }

  /** All works without the queue that keeps nothing, but for the time that it saves. */
  #failed(error: unknown): void {
    const { kind, link, module, refused, troubles } = this.#parts;
    if (replyCodeOf(error) === ACCESS_REFUSED) refused();
    // That there is no connection is told of the whole transport.
    if (kind === 'immediate' || link.model === null) return;
    const message = withCause(`This process cannot subscribe to ${this.#queue}`, error);
    troubles.met(this.#queue, { kind: 'not_received', module, message });
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
      const answered = await brokerAnswer(answer, 'subscribing', limit);
      stuck.answered(queue);
      return answered;
    } finally {
      timer.cancel();
    }
  }

  #stop(): void {
    this.#keeper.stop();
    this.#timer?.cancel();
    this.#parts.troubles.over(this.#queue, 'not_received');
  }

  #endSession(): void {
    this.#session?.ledger.end();
    this.#session = null;
    this.#parts.desk.dropEnded();
  }

  /** Subscribes no more and ends the subscription; what was delivered may still be answered. */
  async cancel(): Promise<void> {
    this.#stop();
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
  async close(): Promise<void> {
    this.#stop();
    const session = this.#session;
    if (session === null) return;
    const { clock } = this.#parts.settings;
    session.ledger.flush();
    await settled(closeQuietly(session.channel), { clock, ms: ANSWER_TIMEOUT_MS });
    this.#endSession();
  }
}

function dismiss(ledger: AckLedger, { fields }: ConsumeMessage): void {
  ledger.delivered(fields.deliveryTag);
  ledger.ack(fields.deliveryTag);
}
