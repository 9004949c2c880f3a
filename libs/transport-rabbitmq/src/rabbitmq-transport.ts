import type { Dispatch } from '#core';
import {
  mostInHand,
  TransportUnavailable,
  type Concurrency,
  type Consumer,
  type DeliveryHandler,
  type PublishOptions,
  type QueueDepth,
  type StepTransport,
  type TransportTrouble,
} from '#ports';
import { AdminChannel } from './admin-channel.js';
import { BrokerLink } from './broker-link.js';
import { withCause } from './broker-words.js';
import { ClassQueues } from './class-queues.js';
import { DepthGauge } from './depth-gauge.js';
import { EnvelopeWriter, type Outgoing } from './envelope.js';
import { completeOptions, type RabbitmqTransportOptions, type Settings } from './options.js';
import { Publisher } from './publisher.js';
import { ModuleConsumer } from './module-consumer.js';
import { StuckQueues } from './stuck-queues.js';
import { brokerAnswer, settled } from './time-limit.js';
import { VhostTaken } from './set-mark.js';
import { declareQueue, PARKING_QUEUE } from './topology.js';
import { Troubles } from './troubles.js';

const PING_TIMEOUT_MS = 2_000;
const CHANNELS_CLOSE_MS = 1_000;

/**
 * A transport over RabbitMQ 3.10 or later: a durable quorum queue for each module and class of
 * priority that is used, and one in front that keeps nothing; every publish confirmed. Publishing
 * and consuming have a connection each, because a broker that runs out of memory or disk stops
 * reading from those that publish, acknowledgements included. Throws {@link VhostTaken} where
 * another set uses the vhost.
 */
export async function openRabbitmqTransport(
  options: RabbitmqTransportOptions,
): Promise<StepTransport> {
  const settings = completeOptions(options);
  const transport = new RabbitmqTransport(settings);
  await settled(transport.start(), { clock: settings.clock, ms: settings.waitMs });
  const { taken } = transport;
  if (taken === null) return transport;
  await transport.close();
  throw taken;
}

class RabbitmqTransport implements StepTransport {
  readonly #settings: Settings;
  readonly #publishLink: BrokerLink;
  readonly #consumeLink: BrokerLink;
  readonly #admin: AdminChannel;
  readonly #classes: ClassQueues;
  readonly #gauge: DepthGauge;
  readonly #publisher: Publisher;
  readonly #stuck: StuckQueues;
  readonly #troubles: Troubles;
  readonly #writer: EnvelopeWriter;
  readonly #consumers = new Set<ModuleConsumer>();
  #closed: Promise<void> | null = null;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#publishLink = new BrokerLink(settings, 'publish');
    this.#consumeLink = new BrokerLink(settings, 'consume');
    this.#troubles = new Troubles(settings.clock);
    this.#admin = new AdminChannel(this.#consumeLink, settings.clock);
    const replaced = (queue: string, since: number): void => this.#subscribeAnew(queue, since);
    const links = [this.#publishLink, this.#consumeLink];
    // All that was sent behind a message for such a queue waits until the broker refuses that.
    const leaderless = (): void => this.#publishLink.renew();
    this.#stuck = new StuckQueues({ leaderless, links, replaced, settings });
    this.#classes = new ClassQueues({ link: this.#publishLink, settings, stuck: this.#stuck });
    this.#gauge = new DepthGauge(this.#admin, this.#classes, settings.clock);
    this.#publisher = new Publisher({
      admin: this.#admin,
      link: this.#publishLink,
      replaced,
      settings,
      stuck: this.#stuck,
      troubles: this.#troubles,
    });
    this.#writer = new EnvelopeWriter(settings.entropy.newId());
  }

  /** Resolves when the first try to reach the broker has ended, well or not. */
  async start(): Promise<void> {
    await Promise.all([this.#publishLink.start(), this.#consumeLink.start()]);
    await this.#publisher.open();
  }

  /** Tells that another set uses the vhost; null: none does, as far as is known. */
  get taken(): VhostTaken | null {
    const errors = [this.#publishLink, this.#consumeLink].map((link) => link.obstacle);
    return errors.find((error) => error instanceof VhostTaken) ?? null;
  }

  publish(dispatches: readonly Dispatch[], options?: PublishOptions): Promise<void> {
    if (dispatches.length === 0) return Promise.resolve();
    const now = this.#settings.clock.now();
    const write = (dispatch: Dispatch): Outgoing =>
      this.#writer.write(dispatch, now, options?.mayBeLost);
    return this.#publisher.send(dispatches.map(write));
  }

  async consume(
    module: string,
    concurrency: Concurrency,
    handler: DeliveryHandler,
  ): Promise<Consumer> {
    if (this.#closed !== null) throw new TransportUnavailable('The transport is closed.');
    const consumer = new ModuleConsumer({
      admin: this.#admin,
      classes: this.#classes,
      concurrency: mostInHand(concurrency),
      handler,
      link: this.#consumeLink,
      module,
      publisher: this.#publisher,
      settings: this.#settings,
      stuck: this.#stuck,
      troubles: this.#troubles,
      writer: this.#writer,
    });
    this.#consumers.add(consumer);
    await consumer.start();
    const stop = async (): Promise<void> => {
      await consumer.stop();
      this.#consumers.delete(consumer);
    };
    return { stop };
  }

  get obstacle(): TransportUnavailable | null {
    const { taken } = this;
    if (taken !== null) return new TransportUnavailable(`${taken.message}.`, { cause: taken });
    return this.#publisher.obstacle;
  }

  async depth(module: string): Promise<QueueDepth> {
    return this.#closed === null ? (await this.#gauge.read(module)).depth : null;
  }

  async receivers(module: string): Promise<number | null> {
    return this.#closed === null ? (await this.#gauge.read(module)).receivers : null;
  }

  troubles(): readonly TransportTrouble[] {
    const { blocked } = this.#publishLink;
    const alarm = {
      kind: 'alarm',
      module: null,
      message: `The broker takes no messages now: ${blocked?.reason}.`,
      since: blocked?.since ?? 0,
    } as const;
    return [...(blocked === null ? [] : [alarm]), ...this.#troubles.list()];
  }

  async ping(): Promise<void> {
    const { obstacle } = this;
    // Tasks that the process takes meanwhile are kept, and go on when the alarm is over.
    if (obstacle !== null && this.#publishLink.blocked === null) throw obstacle;
    const unheard = this.#troubles.first('not_received');
    if (unheard !== null) throw new TransportUnavailable(unheard.message);
    const limit = { clock: this.#settings.clock, ms: PING_TIMEOUT_MS };
    try {
      await brokerAnswer(declareQueue(this.#admin, PARKING_QUEUE), 'a ping', limit);
    } catch (error) {
      if (error instanceof TransportUnavailable) throw error;
      const message = withCause(`The broker refuses ${PARKING_QUEUE}`, error);
      throw new TransportUnavailable(message, { cause: error });
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #subscribeAnew(queue: string, missingSince: number): void {
    this.#classes.note(queue);
    for (const consumer of this.#consumers) consumer.replaced(queue, missingSince);
  }

  async #close(): Promise<void> {
    this.#stuck.close();
    this.#publisher.close();
    this.#classes.close();
    const abandoned = Promise.all([...this.#consumers].map((consumer) => consumer.abandon()));
    await settled(abandoned, { clock: this.#settings.clock, ms: CHANNELS_CLOSE_MS });
    await Promise.all([this.#publishLink.close(), this.#consumeLink.close()]);
  }
}
