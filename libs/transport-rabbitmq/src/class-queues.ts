import type { ConfirmChannel, Message } from 'amqplib';
import type { BrokerLink } from './broker-link.js';
import { ChannelKeeper } from './channel-keeper.js';
import type { Settings } from './options.js';
import type { StuckQueues } from './stuck-queues.js';
import { brokerAnswer } from './time-limit.js';

const ANSWER_TIMEOUT_MS = 2_000;
const KNOCK = 'knock';
const NOTHING = Buffer.alloc(0);

/** The dependencies of the search for queues. */
interface ClassQueuesParts {
  readonly link: BrokerLink;
  readonly settings: Settings;
  readonly stuck: StuckQueues;
}

/** Whether a message was sent only to learn whether its queue is there. */
export function isKnock({ content, properties }: Pick<Message, 'content' | 'properties'>): boolean {
  return properties.type === KNOCK && content.length === 0;
}

/**
 * Finds out which of the queues are there that are made when they are first used. Asking the broker
 * for a queue that is not there closes the channel and leaves an error in the broker's log, every
 * time. So a message is sent that would be dropped at once: it comes back where there is no queue.
 */
export class ClassQueues {
  readonly #parts: ClassQueuesParts;
  readonly #keeper: ChannelKeeper<ConfirmChannel>;
  readonly #known = new Set<string>();
  /** Ids of messages that came back; their confirmation follows. */
  readonly #returned = new Set<string>();
  #channel: ConfirmChannel | null = null;
  #serial = 0;

  constructor(parts: ClassQueuesParts) {
    this.#parts = parts;
    const { link, settings } = parts;
    this.#keeper = new ChannelKeeper<ConfirmChannel>(
      { ...settings, link },
      {
        purpose: 'find queues',
        create: (model) => model.createConfirmChannel(),
        setUp: (channel) => this.#takeUp(channel),
        ended: () => this.#takeDown(),
      },
    );
  }

  /** Whether the queue is there. Never rejects: false where it cannot be told. */
  async find(queue: string): Promise<boolean> {
    if (this.#known.has(queue)) return true;
    if (this.#parts.link.blocked !== null) return false;
    await this.#keeper.open();
    if (this.#channel !== null && (await this.#knock(this.#channel, queue))) this.note(queue);
    return this.#known.has(queue);
  }

  /** The queue is there. */
  note(queue: string): void {
    this.#known.add(queue);
  }

  /** The queue is there no longer. */
  forget(queue: string): void {
    this.#known.delete(queue);
  }

  close(): void {
    this.#keeper.stop();
  }

  async #knock(channel: ConfirmChannel, queue: string): Promise<boolean> {
    this.#serial += 1;
    const messageId = `${KNOCK}-${this.#serial}`;
    // It expires as it arrives, unless a consumer of the queue gets it at once.
    const properties = { expiration: '0', mandatory: true, messageId, type: KNOCK };
    try {
      const confirmed = new Promise<void>((resolve, reject) => {
        channel.sendToQueue(queue, NOTHING, properties, (error: unknown) =>
          error === null ? resolve() : reject(error),
        );
      });
      const { clock } = this.#parts.settings;
      await brokerAnswer(confirmed, `looking for ${queue}`, { clock, ms: ANSWER_TIMEOUT_MS });
      return !this.#returned.delete(messageId);
    } catch {
      // One that is there without a leader answers nothing.
      this.#parts.stuck.suspect(queue, ANSWER_TIMEOUT_MS);
      return false;
    }
  }

  #takeUp(channel: ConfirmChannel): Promise<void> {
    channel.on('return', ({ properties }) => {
      if (typeof properties.messageId === 'string') this.#returned.add(properties.messageId);
    });
    this.#channel = channel;
    return Promise.resolve();
  }

  #takeDown(): void {
    this.#channel = null;
    this.#returned.clear();
  }
}
