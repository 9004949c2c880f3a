import type { Channel, ChannelModel } from 'amqplib';
import type { Observer } from '#ports';
import { BackOff, type BackOffParts } from './back-off.js';
import type { BrokerLink } from './broker-link.js';

/** The use of a channel that is kept open. */
interface ChannelWork<C extends Channel> {
  /** For messages: what the channel is for. */
  readonly purpose: string;
  create(model: ChannelModel): Promise<C>;
  /** Makes a fresh channel ready. A failure ends it, and the next one is tried after a while. */
  setUp(channel: C): Promise<void>;
  /** The channel is of no use any more. Called once for each that was handed to `setUp`. */
  ended(channel: C): void;
  /** A channel could not be opened or made ready. Default: nobody wants to know. */
  failed?(error: unknown): void;
}

/** The dependencies of a keeper. */
interface KeeperParts extends BackOffParts {
  readonly link: BrokerLink;
  readonly observer: Observer;
}

/**
 * Keeps one channel of a link open. Each channel is a generation of its own: what belonged to an
 * ended one must not be used with the next, because delivery tags start again.
 */
export class ChannelKeeper<C extends Channel> {
  readonly #parts: KeeperParts;
  readonly #work: ChannelWork<C>;
  readonly #backOff: BackOff;
  readonly #unlisten: () => void;
  #channel: C | null = null;
  #opening: Promise<void> | null = null;
  #stopped = false;

  constructor(parts: KeeperParts, work: ChannelWork<C>) {
    this.#parts = parts;
    this.#work = work;
    this.#backOff = new BackOff(parts);
    this.#unlisten = parts.link.listen({ up: () => void this.open() });
  }

  /** Opens a channel unless there is one; resolves when this try has ended, well or not. */
  open(): Promise<void> {
    const { model } = this.#parts.link;
    if (this.#opening !== null) return this.#opening;
    if (model === null || this.#stopped || this.#channel !== null) return Promise.resolve();
    this.#backOff.cancel();
    this.#opening = this.#tryOpen(model).finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  /** Ends this channel, if it is still the current one, and opens another after a while. */
  end(channel: C): void {
    if (this.#channel !== channel) return;
    this.#channel = null;
    this.#work.ended(channel);
    void closeQuietly(channel);
    this.#tryAgain();
  }

  /** Takes another channel in place of the current one, at once. */
  renew(): void {
    const channel = this.#channel;
    if (channel === null || this.#opening !== null || this.#stopped) return;
    this.#channel = null;
    this.#work.ended(channel);
    void closeQuietly(channel);
    void this.open();
  }

  /** Opens no channel any more; the current one is left to the caller. */
  stop(): void {
    this.#stopped = true;
    this.#unlisten();
    this.#backOff.cancel();
  }

  async #tryOpen(model: ChannelModel): Promise<void> {
    try {
      await this.#open(model);
    } catch (error) {
      this.#tell(error);
      this.#work.failed?.(error);
      if (this.#channel === null) this.#tryAgain();
      else this.end(this.#channel);
    }
  }

  async #open(model: ChannelModel): Promise<void> {
    const channel = await this.#work.create(model);
    channel.on('error', (error) => this.#tell(error));
    // Before amqplib's own listener: it fails every open publish as if the broker had refused it.
    channel.prependListener('close', () => this.end(channel));
    if (this.#stopped) return closeQuietly(channel);
    this.#channel = channel;
    await this.#work.setUp(channel);
    if (this.#channel === channel) this.#backOff.succeeded();
  }

  #tryAgain(): void {
    if (!this.#stopped) this.#backOff.failed(() => void this.open());
  }

  #tell(error: unknown): void {
    if (this.#stopped) return;
    this.#parts.observer.noticed({
      level: 'warn',
      name: 'broker_channel_failed',
      message: `The channel to ${this.#work.purpose} failed; another one is opened.`,
      error,
    });
  }
}

/** Closes a channel that may be closed already: amqplib throws for that, partly at once. */
export async function closeQuietly(channel: Channel): Promise<void> {
  try {
    await channel.close();
  } catch {
    // Closed is what it should be.
  }
}
