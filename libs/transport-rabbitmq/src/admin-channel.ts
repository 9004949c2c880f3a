import type { Channel } from 'amqplib';
import { TransportUnavailable, type Clock } from '#ports';
import type { BrokerLink } from './broker-link.js';
import { closeQuietly } from './channel-keeper.js';
import { brokerAnswer } from './time-limit.js';

const ANSWER_TIMEOUT_MS = 2_000;

/** A question to the broker. */
type Question<T> = (channel: Channel) => Promise<T>;

/**
 * A channel for questions about queues, one after another. A question may fail and take its channel
 * with it, as asking for a queue that is not there does; nothing else uses that channel.
 */
export class AdminChannel {
  readonly #link: BrokerLink;
  readonly #clock: Clock;
  #channel: Channel | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(link: BrokerLink, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
    link.listen({
      down: () => {
        this.#channel = null;
      },
    });
  }

  /** Version of the broker; empty while there is no connection. */
  get brokerVersion(): string {
    return this.#link.brokerVersion;
  }

  ask<T>(question: Question<T>): Promise<T> {
    const answer = this.#last.then(() => this.#ask(question));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #ask<T>(question: Question<T>): Promise<T> {
    const limit = { clock: this.#clock, ms: ANSWER_TIMEOUT_MS };
    try {
      const answer = this.#open().then((channel) => question(channel));
      return await brokerAnswer(answer, 'a question about a queue', limit);
    } catch (error) {
      const channel = this.#channel;
      this.#channel = null;
      if (channel !== null) void closeQuietly(channel);
      throw error;
    }
  }

  async #open(): Promise<Channel> {
    if (this.#channel !== null) return this.#channel;
    const { model } = this.#link;
    if (model === null) throw new TransportUnavailable('There is no connection to the broker.');
    const channel = await model.createChannel();
    // The answer of the question that caused the error tells of it.
    channel.on('error', () => undefined);
    this.#channel = channel;
    return channel;
  }
}
