import { connect, type ChannelModel, type SocketOptions } from 'amqplib';
import { TransportUnavailable } from '#ports';
import { BackOff } from './back-off.js';
import { wordsOf } from './broker-words.js';
import { refusalOf } from './close-frame.js';
import type { Settings } from './options.js';
import { dropSocket, joinWrites, WRITE_AHEAD_BYTES } from '#seams/amqplib';
import { markVhost, VhostTaken } from './set-mark.js';
import { brokerAnswer, settled } from './time-limit.js';

const CONNECT_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 1_500;
const MARK_TIMEOUT_MS = 5_000;

/** The driver names the frame that ended an opening, and not what the frame says. */
const CLOSED_UNSAID = /got <ConnectionClose/;

/** Called when a link's connection opens, closes, or is blocked by an alarm of the broker. */
interface LinkListener {
  up?(): void;
  down?(): void;
  blocked?(reason: string): void;
}

/** An alarm of the broker, such as `low on disk`. */
interface Blockage {
  readonly reason: string;
  /** Milliseconds since 1970, by this process's clock. */
  readonly since: number;
}

/** One connection to the broker that comes back by itself. */
export class BrokerLink {
  readonly #settings: Settings;
  readonly #purpose: string;
  readonly #backOff: BackOff;
  readonly #listeners = new Set<LinkListener>();
  readonly #firstTry: Promise<void>;
  #endFirstTry: () => void = () => undefined;
  #model: ChannelModel | null = null;
  #blocked: Blockage | null = null;
  #lastError: unknown = null;
  #closed = false;

  constructor(settings: Settings, purpose: string) {
    this.#settings = settings;
    this.#purpose = purpose;
    this.#backOff = new BackOff(settings);
    this.#firstTry = new Promise((resolve) => {
      this.#endFirstTry = resolve;
    });
  }

  /** The connection, or null while there is none. */
  get model(): ChannelModel | null {
    return this.#model;
  }

  /** The alarm for which the broker takes nothing from this connection now, or null. */
  get blocked(): Blockage | null {
    return this.#blocked;
  }

  /** The error that ended the last connection, or the last try to open one. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** The error that keeps the link from having a connection; null: it has one. */
  get obstacle(): unknown {
    return this.#model === null ? this.#lastError : null;
  }

  /** Bytes that a frame may have, as the broker and the driver agreed; null: that is not known. */
  get frameMax(): number | null {
    const { frameMax } = (this.#model?.connection ?? {}) as { readonly frameMax?: unknown };
    return typeof frameMax === 'number' ? frameMax : null;
  }

  /** Version of the broker, as it tells it; empty while there is no connection. */
  get brokerVersion(): string {
    return this.#model?.connection.serverProperties.version ?? '';
  }

  /** Returns how to stop listening. */
  listen(listener: LinkListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Starts to connect; resolves when the first try has ended, well or not. */
  start(): Promise<void> {
    void this.#connect();
    return this.#firstTry;
  }

  /** Ends this connection, and what the broker still does for it; another one is opened. */
  renew(): void {
    if (this.#model !== null) dropSocket(this.#model);
  }

  /** Ends the connection, within seconds even when nobody answers any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#backOff.cancel();
    this.#endFirstTry();
    const model = this.#model;
    if (model === null) return;
    const { clock } = this.#settings;
    await settled(model.close(), { clock, ms: CLOSE_TIMEOUT_MS });
    dropSocket(model);
  }

  async #connect(): Promise<void> {
    try {
      const model = await openConnection(this.#settings, this.#purpose);
      await this.#mark(model);
      if (this.#closed) dropSocket(model);
      else this.#takeUp(model);
    } catch (error) {
      this.#lastError = error;
      if (error instanceof VhostTaken) this.#notice('error', 'broker_taken', `${error.message}.`);
      else this.#notice('warn', 'broker_unreachable', `No connection to ${this.#purpose}.`);
      this.#tryAgain();
    }
    this.#endFirstTry();
  }

  /** Without a mark the set works, but another one is not kept away. */
  async #mark(model: ChannelModel): Promise<void> {
    const { clock, entropy, set } = this.#settings;
    if (set === null) return;
    let end: unknown = null;
    model.on('error', () => undefined);
    model.once('close', (error) => {
      end = error ?? new Error('The connection was closed.');
    });
    try {
      const mark = markVhost(model, { set, holder: entropy.newId() });
      await brokerAnswer(mark, 'the mark of the set', { clock, ms: MARK_TIMEOUT_MS });
    } catch (error) {
      const isRefused = !(error instanceof VhostTaken) && !(error instanceof TransportUnavailable);
      if (!isRefused) end ??= error;
      else
        this.#notice(
          'warn',
          'set_unmarked',
          `The vhost is not marked as this set's: ${wordsOf(error)}.`,
        );
    }
    if (end === null) return;
    dropSocket(model);
    throw end;
  }

  #takeUp(model: ChannelModel): void {
    joinWrites(model);
    model.on('error', (error) => {
      this.#lastError = error;
    });
    model.on('close', (error) => this.#takeDown(model, error));
    model.on('blocked', (reason) => {
      this.#blocked = { reason, since: this.#settings.clock.now() };
      this.#notice('warn', 'broker_blocked', `The broker accepts no messages now: ${reason}.`);
      for (const listener of this.#listeners) listener.blocked?.(reason);
    });
    model.on('unblocked', () => {
      this.#blocked = null;
      this.#notice('info', 'broker_unblocked', 'The broker accepts messages again.');
    });
    this.#model = model;
    this.#backOff.succeeded();
    this.#notice('info', 'broker_connected', `Connected to ${this.#purpose}.`);
    for (const listener of this.#listeners) listener.up?.();
  }

  #takeDown(model: ChannelModel, error: unknown): void {
    this.#model = null;
    this.#blocked = null;
    this.#lastError = error ?? this.#lastError;
    dropSocket(model);
    if (!this.#closed) {
      this.#notice('warn', 'broker_disconnected', `The connection to ${this.#purpose} is lost.`);
    }
    for (const listener of this.#listeners) listener.down?.();
    this.#tryAgain();
  }

  #tryAgain(): void {
    if (!this.#closed) this.#backOff.failed(() => void this.#connect());
  }

  #notice(level: 'info' | 'warn' | 'error', name: string, message: string): void {
    const error = level === 'info' ? undefined : this.#lastError;
    this.#settings.observer.noticed({ level, name, message, error });
  }
}

/**
 * Opens a connection to the first node that lets it in; the broker shows it with its purpose.
 * Throws what the last node said.
 */
export async function openConnection(settings: Settings, purpose: string): Promise<ChannelModel> {
  let refused: unknown = null;
  for (const url of settings.urls) {
    try {
      return await openAt(url, settings, purpose);
    } catch (error) {
      refused = error;
    }
  }
  throw refused;
}

async function openAt(url: string, settings: Settings, purpose: string): Promise<ChannelModel> {
  try {
    return await connect(url, {
      clientProperties: { connection_name: `${settings.connectionName} ${purpose}` },
      keepAlive: true,
      noDelay: true,
      timeout: CONNECT_TIMEOUT_MS,
      writableHighWaterMark: WRITE_AHEAD_BYTES,
    } as SocketOptions);
  } catch (error) {
    if (!CLOSED_UNSAID.test(wordsOf(error))) throw error;
    const refusal = await refusalOf(url, settings.clock);
    if (refusal === null) throw error;
    const { code, text } = refusal;
    throw Object.assign(new Error(text, { cause: error }), { code });
  }
}
