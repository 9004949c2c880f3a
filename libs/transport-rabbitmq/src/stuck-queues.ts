import type { Channel, ChannelModel } from 'amqplib';
import { growingDelay } from '#core';
import { type Notice, type Timer, TransportUnavailable } from '#ports';
import { dropSocket } from '#seams/amqplib';
import { type BrokerLink, openConnection } from './broker-link.js';
import type { Settings } from './options.js';
import { brokerAnswer, settled } from './time-limit.js';
import { makeQueue, PARKING_QUEUE } from './topology.js';

const ANSWER_TIMEOUT_MS = 5_000;

/** The broker gives the members of a quorum queue 5 s twice before it deletes without them. */
const DELETE_TIMEOUT_MS = 20_000;

const ROUNDS = 3;
const PAUSE_MS = 1_000;

/** How much slower than a probe a queue may answer before it counts as one that never will. */
const SLOWER_THAN_PROBE = 5;

/** Larger than any cluster: the broker then makes all of its nodes members of the queue. */
const ALL_NODES = 99;

/** The broker removes a probe whose process died by then. */
const PROBE_EXPIRES_MS = 60_000;

/** The dependencies of an exam. */
interface ExamParts {
  /** A connection of its own: what the broker refuses here disturbs nobody else. */
  readonly model: ChannelModel;
  readonly queue: string;
  readonly settings: Settings;
  readonly signal: AbortSignal;
}

/** `rebuilt`: it had no leader, and was made again. `well`: it needs nothing. */
export type QueueVerdict = 'leaderless' | 'rebuilt' | 'well';

const LONGEST_WAIT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 1_500;

/** The dependencies of the watch over stuck queues. */
interface StuckQueuesParts {
  /** While one of these is down or blocked, silence says nothing about a queue. */
  readonly links: readonly BrokerLink[];
  /** Called when a queue was found that has no leader. */
  readonly leaderless: () => void;
  /** Called when a queue was made again; the time is on the monotonic clock. */
  readonly replaced: (queue: string, missingSince: number) => void;
  readonly settings: Settings;
}

/** A queue that has not answered for a while. */
interface Suspicion {
  readonly abort: AbortController;
  /** When it was asked what it has not answered, on the monotonic clock. */
  readonly since: number;
  isLeaderless: boolean;
  tries: number;
  timer: Timer | null;
}

/**
 * Finds queues that never answer again, reports them, and makes them again where the settings allow
 * it. A quorum queue of RabbitMQ 3.10 whose only node is
 * killed within seconds of its declaration stays without a leader, whatever is restarted. Deleting
 * a module's queue is always safe: which messages must exist is known from the tasks, and
 * governance sends them again. It is done all the same only to a queue that is silent for long
 * while everything else works, see `QueueExam`. The parking queue is left alone: people own it.
 */
export class StuckQueues {
  readonly #parts: StuckQueuesParts;
  readonly #suspicions = new Map<string, Suspicion>();
  #closed = false;

  constructor(parts: StuckQueuesParts) {
    this.#parts = parts;
    const clear = (): void => this.#clear((suspicion) => !suspicion.isLeaderless);
    for (const link of parts.links) link.listen({ down: clear, blocked: clear });
  }

  /** The queue has not answered, or refused, what it was asked this long ago. */
  suspect(queue: string, silentMs: number): void {
    if (this.#closed || queue === PARKING_QUEUE || this.#suspicions.has(queue)) return;
    if (this.#troubled) return;
    const { clock, silentAfterMs } = this.#parts.settings;
    const since = clock.monotonic() - silentMs;
    const abort = new AbortController();
    const suspicion = { abort, isLeaderless: false, since, tries: 0, timer: null };
    this.#suspicions.set(queue, suspicion);
    this.#wait(queue, suspicion, Math.max(0, silentAfterMs - silentMs));
  }

  /** The queue has done something that it could not do without a leader. */
  answered(queue: string): void {
    if (this.#suspicions.size > 0) this.#acquit(queue);
  }

  /** Whether it was found to have no leader, and has not answered since. */
  isLeaderless(queue: string): boolean {
    return this.#suspicions.get(queue)?.isLeaderless === true;
  }

  close(): void {
    this.#closed = true;
    this.#clear(() => true);
  }

  get #troubled(): boolean {
    return this.#parts.links.some(({ blocked, model }) => model === null || blocked !== null);
  }

  #clear(isMeant: (suspicion: Suspicion) => boolean): void {
    for (const [queue, each] of this.#suspicions) if (isMeant(each)) this.#acquit(queue);
  }

  #acquit(queue: string): void {
    const suspicion = this.#suspicions.get(queue);
    this.#suspicions.delete(queue);
    suspicion?.timer?.cancel();
    suspicion?.abort.abort();
  }

  #wait(queue: string, suspicion: Suspicion, ms: number): void {
    suspicion.timer = this.#parts.settings.clock.after(ms, () => {
      void this.#examine(queue, suspicion);
    });
  }

  async #examine(queue: string, suspicion: Suspicion): Promise<void> {
    const { clock } = this.#parts.settings;
    const begin = clock.monotonic();
    const { signal } = suspicion.abort;
    try {
      const verdict = await this.#look(queue, signal);
      if (verdict === 'leaderless') return this.#report(queue, suspicion);
      if (this.#suspicions.get(queue) === suspicion) this.#acquit(queue);
      if (verdict === 'well') return;
      this.#tellRebuilt(queue, begin - suspicion.since);
      this.#parts.replaced(queue, begin);
    } catch (error) {
      if (signal.aborted) return;
      const ms = this.#lookLater(queue, suspicion);
      const message = `Queue ${queue} does not answer; looked at again in ${ms} ms.`;
      this.#notice({ level: 'warn', name: 'queue_silent', message, error });
    }
  }

  #lookLater(queue: string, suspicion: Suspicion): number {
    suspicion.tries += 1;
    const firstMs = 2 * this.#parts.settings.silentAfterMs;
    const ms = growingDelay({ firstMs, maxMs: LONGEST_WAIT_MS }, suspicion.tries);
    this.#wait(queue, suspicion, ms);
    return ms;
  }

  /** The queue stays under suspicion, and is reported again, until it answers. */
  #report(queue: string, suspicion: Suspicion): void {
    if (this.#suspicions.get(queue) !== suspicion) return;
    const seconds = this.#silentSeconds(suspicion);
    this.#lookLater(queue, suspicion);
    const message =
      `Queue ${queue} has answered nothing for ${seconds} s while the broker answers for another ` +
      `queue: it has no leader. Delete it (rabbitmqctl delete_queue ${queue}): it is declared again ` +
      'and its messages are sent again. BACKSTEP_REBUILD_QUEUES=on does so by itself.';
    this.#notice({ level: 'error', name: 'queue_without_leader', message });
    if (suspicion.isLeaderless) return;
    suspicion.isLeaderless = true;
    this.#parts.leaderless();
  }

  #silentSeconds({ since }: Suspicion): number {
    return Math.round((this.#parts.settings.clock.monotonic() - since) / 1_000);
  }

  async #look(queue: string, signal: AbortSignal): Promise<QueueVerdict> {
    const { settings } = this.#parts;
    const model = await openConnection(settings, `look at ${queue}`);
    const exam = new QueueExam({ model, queue, settings, signal });
    // A process that finds the queue gone declares it, and it answers before this is over.
    const drop = (): void => {
      if (!exam.deleting || this.#closed) dropSocket(model);
    };
    model.on('error', () => undefined);
    model.on('blocked', drop);
    signal.addEventListener('abort', drop, { once: true });
    try {
      if (signal.aborted) return 'well';
      return await exam.run();
    } finally {
      signal.removeEventListener('abort', drop);
      void this.#end(model);
    }
  }

  async #end(model: ChannelModel): Promise<void> {
    try {
      const { clock } = this.#parts.settings;
      await settled(model.close(), { clock, ms: CLOSE_TIMEOUT_MS });
    } catch {
      // The driver throws when the connection is closed already.
    }
    dropSocket(model);
  }

  #tellRebuilt(queue: string, silentMs: number): void {
    const seconds = Math.round(silentMs / 1_000);
    const message =
      `Queue ${queue} answered nothing for ${seconds} s while the broker answered for another ` +
      'queue: it had no leader. It was deleted and declared again; its messages are sent again.';
    this.#notice({ level: 'error', name: 'queue_rebuilt', message });
  }

  #notice(notice: Notice): void {
    this.#parts.settings.observer.noticed(notice);
  }
}

/**
 * Looks whether a queue has no leader although the broker works, and if so makes the queue again
 * where the settings allow it.
 * The broker itself does not tell: declaring such a queue succeeds, and `queue.delete` removes
 * every queue that cannot be reached, one whose nodes are merely away as well. So two things are
 * compared, meanwhile and in turns: a subscription to the queue, which its leader alone can answer
 * and which ends when another client deletes the queue; and a fresh queue with a member on every
 * node, which answers only while the greater part of the cluster is there.
 */
export class QueueExam {
  readonly #parts: ExamParts;
  /** The outcome of the subscription to the queue, or null while there is no answer. */
  #answer: string | null = null;
  #deleting = false;
  #slowestProbe = 0;

  constructor(parts: ExamParts) {
    this.#parts = parts;
  }

  /** True from when the queue's end is sealed: what is left to do must be done. */
  get deleting(): boolean {
    return this.#deleting;
  }

  /** Throws where the verdict cannot be told, and when the broker fails. */
  async run(): Promise<QueueVerdict> {
    const { model, queue, settings } = this.#parts;
    // Held until the connection ends: of all processes one at a time looks after a queue.
    const lock = await this.#channel();
    const exclusive = { durable: false, exclusive: true };
    await this.#soon(lock.assertQueue(`${queue}.rebuilding`, exclusive));
    await this.#subscribe();
    if (!(await this.#staysSilent()) || (await this.#showsLife())) return 'well';
    const channel = await this.#channel();
    if (this.#answer !== null || this.#parts.signal.aborted) return 'well';
    if (!settings.rebuildQueues) return 'leaderless';
    this.#deleting = true;
    const limit = { clock: settings.clock, ms: DELETE_TIMEOUT_MS };
    await brokerAnswer(channel.deleteQueue(queue), `deleting ${queue}`, limit);
    const version = model.connection.serverProperties.version;
    await brokerAnswer(makeQueue(channel, queue, version), `declaring ${queue}`, limit);
    return 'rebuilt';
  }

  async #subscribe(): Promise<void> {
    const channel = await this.#channel();
    channel.on('close', () => {
      this.#answer ??= 'the channel was closed';
    });
    // A queue that answers may hand out a message; it has it back when the connection ends.
    await this.#soon(channel.prefetch(1));
    void this.#hear(channel.consume(this.#parts.queue, () => undefined));
  }

  async #hear(answer: PromiseLike<unknown>): Promise<void> {
    try {
      await answer;
      this.#answer ??= 'it was subscribed to';
    } catch (error) {
      this.#answer ??= (error as Error).message;
    }
  }

  /** False as soon as the queue answers; throws when the broker does not answer for its probe. */
  async #staysSilent(): Promise<boolean> {
    const { clock } = this.#parts.settings;
    const probe = `${this.#parts.queue}.probe-${this.#parts.settings.entropy.newId()}`;
    const channel = await this.#channel();
    const begin = clock.monotonic();
    await this.#declareProbe(channel, probe);
    try {
      for (let round = 1; ; round += 1) {
        if (this.#answer !== null || this.#parts.signal.aborted) return false;
        const asked = clock.monotonic();
        await this.#askProbe(probe);
        const now = clock.monotonic();
        this.#slowestProbe = Math.max(this.#slowestProbe, now - asked);
        const patience = SLOWER_THAN_PROBE * this.#slowestProbe;
        if (round > ROUNDS && now - begin > patience) return this.#answer === null;
        await clock.sleep(PAUSE_MS, this.#parts.signal);
      }
    } finally {
      await this.#soon(channel.deleteQueue(probe));
    }
  }

  async #declareProbe(channel: Channel, probe: string): Promise<void> {
    const quorum = {
      'x-queue-type': 'quorum',
      'x-quorum-initial-group-size': ALL_NODES,
      'x-expires': PROBE_EXPIRES_MS,
    };
    await this.#soon(channel.assertQueue(probe, { durable: true, arguments: quorum }));
  }

  /** Asks of the probe what the queue does not do: to take a message, and a subscription. */
  async #askProbe(probe: string): Promise<void> {
    const channel = await this.#parts.model.createConfirmChannel();
    channel.on('error', () => undefined);
    channel.sendToQueue(probe, Buffer.alloc(0), { persistent: true });
    await this.#soon(channel.waitForConfirms());
    await this.#soon(channel.consume(probe, () => undefined, { noAck: true }));
    await this.#soon(channel.close());
  }

  /** Only a leader counts messages and consumers; without one the broker says 0. */
  async #showsLife(): Promise<boolean> {
    const channel = await this.#channel();
    const { consumerCount, messageCount } = await this.#soon(channel.checkQueue(this.#parts.queue));
    return consumerCount > 0 || messageCount > 0;
  }

  async #channel(): Promise<Channel> {
    if (this.#parts.signal.aborted) throw new TransportUnavailable('No time to look at a queue.');
    const channel = await this.#soon(this.#parts.model.createChannel());
    // The answer of the question that caused the error tells of it.
    channel.on('error', () => undefined);
    return channel;
  }

  #soon<T>(answer: PromiseLike<T>): Promise<T> {
    const { queue, settings } = this.#parts;
    const limit = { clock: settings.clock, ms: ANSWER_TIMEOUT_MS };
    return brokerAnswer(answer, `looking at ${queue}`, limit);
  }
}
