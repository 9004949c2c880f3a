import type { Channel, ChannelModel } from 'amqplib';
import { TransportUnavailable } from '#ports';
import type { Settings } from './options.js';
import { brokerAnswer } from './time-limit.js';
import { makeQueue } from './topology.js';

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
