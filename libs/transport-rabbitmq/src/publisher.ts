import type { ConfirmChannel } from 'amqplib';
import { TransportUnavailable } from '#ports';
import type { AdminChannel } from './admin-channel.js';
import type { BrokerLink } from './broker-link.js';
import { replyCodeOf, withCause, wordsOf } from './broker-words.js';
import { ChannelKeeper } from './channel-keeper.js';
import { Detours } from './detours.js';
import type { Outgoing } from './envelope.js';
import { MessageLimits } from './message-limits.js';
import type { Settings } from './options.js';
import { type Flight, SendWindow, WaitingBatches } from './publish-batch.js';
import type { StuckQueues } from './stuck-queues.js';
import { declareQueue } from './topology.js';
import type { Troubles } from './troubles.js';

/** The dependencies of a publisher. */
interface PublisherParts {
  readonly admin: AdminChannel;
  readonly link: BrokerLink;
  readonly settings: Settings;
  /** Called when a lost queue is there again; the time is on the monotonic clock. */
  readonly replaced: (queue: string, missingSince: number) => void;
  readonly stuck: StuckQueues;
  readonly troubles: Troubles;
}

const ACCESS_REFUSED = 403;

/** A broker gives no words with it. */
const NACKED =
  'it answered basic.nack: the queue has reached a limit that refuses (x-overflow reject-publish), ' +
  'or has no leader';

/**
 * Sends messages and learns what became of them. Messages leave one behind the other without
 * waiting; each caller waits for the confirmations of its own, and no longer than the time limit.
 * When the connection goes or an alarm blocks it, every caller is told at once that the outcome is
 * unknown.
 */
export class Publisher {
  readonly #parts: PublisherParts;
  readonly #link: BrokerLink;
  readonly #keeper: ChannelKeeper<ConfirmChannel>;
  readonly #detours: Detours;
  readonly #waiting: WaitingBatches;
  readonly #window = new SendWindow();
  /** Ids of messages that came back; their confirmation follows and means nothing. */
  readonly #returned = new Set<string>();
  readonly #declaring = new Map<string, Promise<void>>();
  readonly #limits = new MessageLimits();
  /** The error that ended the last channel; null: none did since the last one opened. */
  #lastError: unknown = null;
  #channel: ConfirmChannel | null = null;
  #closed = false;

  constructor(parts: PublisherParts) {
    const { link, settings } = parts;
    this.#parts = parts;
    this.#link = link;
    const limit = { clock: settings.clock, ms: settings.confirmTimeoutMs };
    this.#detours = new Detours(settings.clock);
    this.#waiting = new WaitingBatches(limit, ({ messages }) => {
      for (const outgoing of messages) {
        const hasOther = this.#detours.refused(outgoing) !== null;
        if (hasOther) continue;
        parts.stuck.suspect(outgoing.queue, limit.ms);
        this.#tell(outgoing, `it did not confirm one within ${limit.ms} ms`);
      }
    });
    link.listen({
      up: () => this.#limits.forget(),
      blocked: (reason) => this.#waiting.failAll(`The broker accepts no messages now: ${reason}.`),
    });
    this.#keeper = new ChannelKeeper<ConfirmChannel>(
      { ...settings, link },
      {
        purpose: 'publish',
        create: (model) => model.createConfirmChannel(),
        setUp: (channel) => this.#takeUp(channel),
        ended: () => this.#takeDown(),
      },
    );
  }

  /** Why nothing can be sent now, or null. */
  get obstacle(): TransportUnavailable | null {
    if (this.#closed) return new TransportUnavailable('The transport is closed.');
    const { blocked, lastError } = this.#link;
    if (blocked !== null) {
      return new TransportUnavailable(`The broker takes no messages now: ${blocked.reason}.`);
    }
    if (this.#channel !== null) return null;
    const message = withCause('There is no connection to the broker', lastError);
    return new TransportUnavailable(message, { cause: lastError });
  }

  /** Resolves when the broker has all of them. */
  send(all: readonly Outgoing[]): Promise<void> {
    const { obstacle } = this;
    if (obstacle !== null) return Promise.reject(obstacle);
    const messages = all.map((outgoing) => this.#detours.route(outgoing));
    const batch = this.#waiting.start(messages);
    for (const outgoing of messages) this.#window.append({ batch, outgoing, again: false });
    this.#pump();
    return batch.done;
  }

  /** Opens the channel if the connection is there. */
  open(): Promise<void> {
    return this.#keeper.open();
  }

  close(): void {
    this.#closed = true;
    this.#keeper.stop();
    this.#takeDown();
  }

  #takeUp(channel: ConfirmChannel): Promise<void> {
    channel.on('return', ({ properties }) => {
      if (typeof properties.messageId === 'string') this.#returned.add(properties.messageId);
    });
    channel.on('error', (error: unknown) => {
      this.#lastError = error;
      this.#limits.learn(error);
    });
    this.#window.clear();
    this.#channel = channel;
    return Promise.resolve();
  }

  #takeDown(): void {
    this.#channel = null;
    this.#returned.clear();
    this.#window.clear();
    const cause = this.#lastError ?? this.#link.lastError;
    if (this.#lastError !== null) this.#tellAll(wordsOf(this.#lastError));
    this.#lastError = null;
    const why = this.#closed ? 'The transport was closed' : 'The connection to the broker was lost';
    this.#waiting.failAll(`${why}; what it has is unknown.`, cause);
  }

  /** The broker has ended the channel: one of the messages on their way was the cause. */
  #tellAll(words: string): void {
    for (const { messages } of this.#waiting.all()) {
      for (const outgoing of messages) this.#tell(outgoing, words);
    }
  }

  #tell(outgoing: Outgoing, words: string): void {
    const queue = keptIn(outgoing);
    const module = outgoing.message?.module ?? null;
    const message = `The broker has not taken the last message for ${queue}: ${words}.`;
    this.#parts.troubles.met(queue, { kind: 'not_sent', module, message });
  }

  #pump(): void {
    const channel = this.#channel;
    if (channel === null) return;
    for (let flight = this.#window.next(); flight !== undefined; flight = this.#window.next()) {
      this.#launch(channel, flight);
    }
  }

  /** The broker needs a minute to refuse a message for a queue without a leader, in its turn. */
  #launch(channel: ConfirmChannel, flight: Flight): void {
    if (this.#parts.stuck.isLeaderless(flight.outgoing.queue)) return this.#window.landed(flight);
    try {
      const fitting = this.#limits.fit(flight.outgoing, this.#link.frameMax);
      const { content, properties, queue } = fitting;
      channel.sendToQueue(queue, content, properties, (error: unknown) => {
        if (this.#channel === channel) this.#land(flight, error);
      });
    } catch (error) {
      this.#window.landed(flight);
      this.#fail(flight, 'A message could not be sent', error);
    }
  }

  #land(flight: Flight, error: unknown): void {
    this.#window.landed(flight);
    const { id, queue } = flight.outgoing;
    const isReturned = this.#returned.size > 0 && this.#returned.delete(id);
    if (error === null && !isReturned) {
      this.#waiting.confirm(flight.batch);
      this.#parts.stuck.answered(queue);
      this.#parts.troubles.over(keptIn(flight.outgoing), 'not_sent');
    } else {
      this.#notTaken(flight, error);
    }
    this.#pump();
  }

  /** `error` is null where there is no such queue. */
  #notTaken(flight: Flight, error: unknown): void {
    const { queue } = flight.outgoing;
    const other = this.#detours.refused(flight.outgoing);
    if (other !== null) return this.#window.append({ ...flight, outgoing: other });
    if (error === null) return void this.#sendAgain(flight);
    this.#fail(flight, `The broker refused a message for ${queue}`, new Error(NACKED));
    this.#parts.stuck.suspect(queue, 0);
  }

  async #sendAgain(flight: Flight): Promise<void> {
    const { outgoing, batch } = flight;
    if (flight.again) return this.#fail(flight, `There is no queue ${outgoing.queue}`, null);
    try {
      await this.#declare(outgoing.queue);
    } catch (error) {
      const other =
        replyCodeOf(error) === ACCESS_REFUSED ? this.#detours.undeclarable(outgoing) : null;
      if (other === null)
        return this.#fail(flight, `No queue ${outgoing.queue} can be made`, error);
      this.#window.append({ batch, outgoing: other, again: false });
      return this.#pump();
    }
    this.#window.append({ batch, outgoing, again: true });
    this.#pump();
  }

  /** Many messages come back together when their queue is gone; it is declared once for all. */
  #declare(queue: string): Promise<void> {
    let declared = this.#declaring.get(queue);
    if (declared === undefined) {
      declared = this.#replace(queue).finally(() => this.#declaring.delete(queue));
      this.#declaring.set(queue, declared);
    }
    return declared;
  }

  #fail(flight: Flight, what: string, cause: unknown): void {
    this.#tell(flight.outgoing, cause === null ? lowerFirst(what) : wordsOf(cause));
    this.#waiting.fail(flight.batch, new TransportUnavailable(`${what}.`, { cause }));
  }

  async #replace(queue: string): Promise<void> {
    const { admin, replaced, settings } = this.#parts;
    const missingSince = settings.clock.monotonic();
    const message = `Queue ${queue} was missing; it is declared again.`;
    settings.observer.noticed({ level: 'warn', name: 'queue_missing', message });
    await declareQueue(admin, queue);
    replaced(queue, missingSince);
  }
}

/** The queue that keeps the message, whichever it goes to first. */
function keptIn({ otherwise, queue }: Outgoing): string {
  return otherwise ?? queue;
}

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
