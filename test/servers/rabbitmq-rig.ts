import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Channel, type GetMessage } from 'amqplib';
import type { StepTransport } from '#ports';
import { DEADLINE_MS, RecordingObserver, SystemClock, within } from '#testing';
import { openRabbitmqTransport, PARKING_QUEUE } from '#transport-rabbitmq';
import type { RabbitmqTransportOptions } from '#transport-rabbitmq';

/** How long a transport of a rig waits for its broker. */
const WAIT_MS = 15_000;

/** A transport of a rig and what it told. */
export interface RiggedTransport {
  readonly transport: StepTransport;
  readonly observer: RecordingObserver;
}

/** Transports on one broker, a bare client beside them, and an end for all of it. */
export class RabbitmqRig {
  readonly url: string;
  readonly #opened: StepTransport[] = [];

  constructor(url: string) {
    this.url = url;
  }

  async open(options: Partial<RabbitmqTransportOptions> = {}): Promise<RiggedTransport> {
    const observer = new RecordingObserver();
    const transport = await openRabbitmqTransport({
      clock: new SystemClock(),
      entropy: { newId: () => randomUUID(), idOf: (text) => text, random: () => Math.random() },
      observer,
      urls: [this.url],
      waitMs: WAIT_MS,
      ...options,
    });
    this.#opened.push(transport);
    return { transport, observer };
  }

  /** Does something with a channel of a client that knows nothing of Backstep. */
  async bare<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    const connection = await connect(this.url);
    try {
      return await work(await connection.createChannel());
    } finally {
      await connection.close();
    }
  }

  /** Messages that wait in a queue; null where it is not there, which ends the client's channel. */
  async lengthOf(queue: string): Promise<number | null> {
    const count = this.bare(async (channel) => {
      channel.on('error', () => undefined);
      return (await channel.checkQueue(queue)).messageCount;
    });
    return count.catch(() => null);
  }

  /** Takes the next parked message of a queue, as it lies there. */
  parkedFrom(queue: string): Promise<GetMessage> {
    return eventually('a parked message', () =>
      this.bare(async (channel) => {
        for (;;) {
          const message = await channel.get(PARKING_QUEUE);
          if (message === false) throw new Error('nothing is parked');
          if (message.properties.headers?.['x-backstep-queue'] !== queue) continue;
          channel.ack(message);
          return message;
        }
      }),
    );
  }

  async dispose(): Promise<void> {
    const closed = this.#opened.splice(0).map((transport) => transport.close());
    await within('the transports are closed', Promise.all(closed));
  }
}

/** Tries until it works, or says why it did not. */
export async function eventually<T>(what: string, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > end) throw new Error(`Never: ${what}`, { cause: error });
      await pause(100);
    }
  }
}
