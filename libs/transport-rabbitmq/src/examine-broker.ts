import type { Channel, ChannelModel, ConfirmChannel } from 'amqplib';
import type { Clock, Entropy } from '#ports';
import { TransportUnavailable } from '#ports';
import { openConnection } from './broker-link.js';
import { replyCodeOf, wordsOf } from './broker-words.js';
import { completeOptions, type Settings } from './options.js';
import { markVhost, VhostTaken } from './set-mark.js';
import { dropSocket } from '#seams/amqplib';
import { brokerAnswer, settled } from './time-limit.js';
import { moduleQueue, PARKING_QUEUE, queueArguments } from './topology.js';

const ANSWER_MS = 3_000;
const CLOSE_MS = 1_000;
const [ACCESS_REFUSED, NOT_FOUND] = [403, 404] as const;

/** The parts that an examination works with. */
export interface BrokerExamParts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** As in the options of a transport. */
  readonly urls: readonly string[];
  /** Id of the store; null: the vhost is not compared with it. */
  readonly set: string | null;
  /** Modules whose queues are looked at. */
  readonly modules: readonly string[];
}

/**
 * Something that is not as a process needs it. `unreachable`: a node lets nobody in. `taken`:
 * another set uses the vhost. `alarm`: no messages are taken now. `permission`: a right of the user
 * is missing. `silent`: the broker does not do what it was asked. `missing`: a queue is not there,
 * and this user may not make it. `different`: a queue was made otherwise than Backstep would.
 */
export interface BrokerFault {
  readonly kind:
    | 'unreachable'
    | 'taken'
    | 'alarm'
    | 'permission'
    | 'silent'
    | 'missing'
    | 'different';
  /** With the broker's own words. */
  readonly detail: string;
  /** The error that it was learned from; null: none. */
  readonly error: unknown;
}

/**
 * Does with a broker what a process does: connects to each node, declares a queue of its own, sends
 * and receives a message, and asks for the queues of modules. It leaves nothing behind, takes no
 * message, and never rejects; without a fault all of it went well.
 */
export async function examineBroker(parts: BrokerExamParts): Promise<readonly BrokerFault[]> {
  const observer = { committed: () => undefined, noticed: () => undefined };
  const all = completeOptions({ ...parts, observer, connectionName: 'backstep doctor' });
  const faults: BrokerFault[] = [];
  let model: ChannelModel | null = null;
  for (const url of all.urls) {
    try {
      const opened = await openConnection({ ...all, urls: [url] }, 'look');
      if (model === null) model = opened;
      else await letGo(opened, all);
    } catch (error) {
      const { host } = new URL(url);
      faults.push({ kind: 'unreachable', detail: `${host}: ${wordsOf(error)}`, error });
    }
  }
  if (model === null) return faults;
  const exam = new BrokerExam(model, all, parts);
  try {
    return [...faults, ...(await exam.run())];
  } finally {
    await letGo(model, all);
  }
}

async function letGo(model: ChannelModel, { clock }: Pick<Settings, 'clock'>): Promise<void> {
  await settled(model.close(), { clock, ms: CLOSE_MS });
  dropSocket(model);
}

class BrokerExam {
  readonly #model: ChannelModel;
  readonly #settings: Settings;
  readonly #parts: BrokerExamParts;
  readonly #faults: BrokerFault[] = [];
  #mayDeclare = false;

  constructor(model: ChannelModel, settings: Settings, parts: BrokerExamParts) {
    this.#model = model;
    this.#settings = settings;
    this.#parts = parts;
    model.on('error', () => undefined);
  }

  async run(): Promise<readonly BrokerFault[]> {
    await this.#mark();
    const queue = `backstep.doctor.${this.#parts.entropy.newId()}`;
    await this.#declare(queue);
    for (const module of this.#parts.modules) await this.#lookAt(moduleQueue(module));
    await this.#lookAt(PARKING_QUEUE);
    // Last: during an alarm the broker reads nothing more of a connection that has sent something.
    await this.#sendTo(queue);
    return this.#faults;
  }

  /** Held until the connection is closed, as a process holds it. */
  async #mark(): Promise<void> {
    const { entropy, set } = this.#parts;
    if (set === null) return;
    try {
      await this.#soon(markVhost(this.#model, { set, holder: entropy.newId() }), 'the mark');
    } catch (error) {
      // A set works without a mark, and only a process with rights keeps others away.
      if (error instanceof VhostTaken) this.#found('taken', error);
      else if (error instanceof TransportUnavailable) this.#found('silent', error);
    }
  }

  async #declare(queue: string): Promise<void> {
    const options = { autoDelete: true, durable: false, exclusive: true };
    const error = await this.#ask((channel) => channel.assertQueue(queue, options));
    this.#mayDeclare = error === null;
    // That is allowed, as long as the queues are there.
    if (error !== null && replyCodeOf(error) !== ACCESS_REFUSED) this.#found('silent', error);
  }

  async #lookAt(queue: string): Promise<void> {
    const error = await this.#ask((channel) => channel.checkQueue(queue));
    if (replyCodeOf(error) === NOT_FOUND) {
      if (this.#mayDeclare) return;
      const detail = `${queue} is not there, and this user may not make it`;
      this.#faults.push({ kind: 'missing', detail, error });
    } else if (error === null) {
      await this.#lookInto(queue);
    } else {
      this.#found('silent', error);
    }
  }

  async #lookInto(queue: string): Promise<void> {
    // The broker looks at the permission first, and then refuses the argument: nothing is taken.
    const consumed = await this.#ask((channel) => {
      return channel.consume(queue, () => undefined, { arguments: { 'x-priority': 'none' } });
    });
    if (replyCodeOf(consumed) === ACCESS_REFUSED) this.#found('permission', consumed);
    if (!this.#mayDeclare) return;
    const { version } = this.#model.connection.serverProperties;
    const options = { durable: true, arguments: queueArguments(queue, version) };
    const declared = await this.#ask((channel) => channel.assertQueue(queue, options));
    if (declared === null || replyCodeOf(declared) === ACCESS_REFUSED) return;
    this.#found('different', declared);
  }

  async #sendTo(queue: string): Promise<void> {
    const blocked = new Promise<string>((resolve) => void this.#model.once('blocked', resolve));
    try {
      const channel = await this.#soon(this.#model.createConfirmChannel(), 'a channel');
      const ended = new Promise<never>((_resolve, reject) => void channel.on('error', reject));
      ended.catch(() => undefined);
      const sent = Promise.race([this.#exchange(channel, queue), ended, blocked]);
      const reason = await this.#soon(sent, 'a message of its own');
      if (typeof reason !== 'string') return;
      const detail = `it takes no messages now: ${reason}`;
      this.#faults.push({ kind: 'alarm', detail, error: null });
    } catch (error) {
      this.#found(replyCodeOf(error) === ACCESS_REFUSED ? 'permission' : 'silent', error);
    }
  }

  /** Where there is no queue of its own the message is dropped, and nothing comes back. */
  async #exchange(channel: ConfirmChannel, queue: string): Promise<undefined> {
    const came = new Promise<void>((resolve) => {
      if (!this.#mayDeclare) return resolve();
      const options = { noAck: true };
      // A refusal ends the channel, which is heard.
      channel.consume(queue, () => resolve(), options).catch(() => undefined);
    });
    channel.sendToQueue(queue, Buffer.from('doctor'));
    await channel.waitForConfirms();
    await came;
    return undefined;
  }

  /** The error of a question, on a channel of its own, which ends with an error; null: none. */
  async #ask(question: (channel: Channel) => Promise<unknown>): Promise<unknown> {
    try {
      const channel = await this.#soon(this.#model.createChannel(), 'a channel');
      channel.on('error', () => undefined);
      await this.#soon(question(channel), 'a question about a queue');
      await this.#soon(channel.close(), 'the end of a channel');
      return null;
    } catch (error) {
      return error ?? new Error('refused');
    }
  }

  #soon<T>(answer: PromiseLike<T>, what: string): Promise<T> {
    return brokerAnswer(answer, what, { clock: this.#settings.clock, ms: ANSWER_MS });
  }

  #found(kind: BrokerFault['kind'], error: unknown): void {
    this.#faults.push({ kind, detail: wordsOf(error), error });
  }
}
