import assert from 'node:assert/strict';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { connect, type Channel, type ChannelModel } from 'amqplib';
import * as fc from 'fast-check';
import type { Consumer } from '#ports';
import { freshModule, Gate, Inbox, stepDispatch } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { type StrayMessage, strayMessages } from '../../../test/fuzz/stray-messages.js';
import { describeWith } from '../../../test/servers/describe-with.js';
import { present, startRabbitmq, type RabbitmqServer } from '../../../test/servers/index.js';
import {
  eventually,
  RabbitmqRig,
  type RiggedTransport,
} from '../../../test/servers/rabbitmq-rig.js';
import { moduleQueue, PARKING_QUEUE } from './topology.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const CONCURRENCY = 4;
/** A command of messages that stay in hand; no generated one is so long. */
const HELD = 'held until the gate opens';

/** How much of a message is parked. */
const KEPT_BYTES = 65_536;

// Its own broker: all that is parked there is taken away.
describeWith('RabbitMQ with stray messages', { servers: ['rabbitmq'], own: true }, () => {
  const module = freshModule();
  const queue = moduleQueue(module);
  const parked = new Map<string, Buffer>();
  let server: RabbitmqServer;
  let rig: RabbitmqRig;
  let rigged: RiggedTransport;
  let stranger: ChannelModel;
  let channel: Channel;
  let consumer: Consumer;
  const gate = new Gate();
  const inbox = new Inbox(({ message }) =>
    message.command === HELD ? gate.passed.then(() => 'ack') : 'ack',
  );

  beforeAll(async () => {
    server = present(await startRabbitmq({ own: true }));
    rig = new RabbitmqRig(server.amqpUrl);
    rigged = await rig.open();
    consumer = await rigged.transport.consume(module, CONCURRENCY, inbox.handler);
    stranger = await connect(server.amqpUrl);
    channel = await stranger.createChannel();
    await channel.assertQueue(PARKING_QUEUE, {
      durable: true,
      arguments: { 'x-queue-type': 'quorum' },
    });
    await channel.consume(PARKING_QUEUE, (message) => {
      if (message === null) return;
      parked.set(String(message.properties.correlationId), message.content);
      channel.ack(message);
    });
  }, 240_000);
  afterAll(async () => {
    await stranger?.close();
    await rig?.dispose();
    await server?.stop();
  }, 240_000);

  let number = 0;

  /** Puts messages into the queue as a stranger would, each with an id that finds it again. */
  function put(messages: readonly StrayMessage[]): readonly Sent[] {
    parked.clear();
    inbox.received.length = 0;
    return messages.map((message) => {
      const id = `stray-${(number += 1)}`;
      channel.sendToQueue(queue, message.content, { ...message.properties, messageId: id });
      return { ...message, id };
    });
  }

  /** Every message is parked or handed on, and only once. */
  function judge(sent: readonly Sent[]): void {
    const handed = sent.filter(({ id }) => !parked.has(id));
    expect(inbox.received.map(({ message }) => message.taskId)).toEqual(
      handed.map(({ content }) => taskIdIn(content)),
    );
    for (const { becomes, content, id } of sent) {
      if (becomes !== 'either') expect(parked.has(id) ? 'parked' : 'consumed').toBe(becomes);
      const kept = content.subarray(0, KEPT_BYTES);
      if (parked.has(id)) assert.ok(parked.get(id)?.equals(kept), `${id} was changed`);
    }
  }

  it('parks what is no message, and hands on the rest, each of them once', async () => {
    const all = fc.array(strayMessages(module), { minLength: 1, maxLength: 30, size: 'max' });
    await fc.assert(
      fc.asyncProperty(all, async (messages) => {
        const sent = put(messages);
        await eventually('every message has gone somewhere', () => {
          const gone = parked.size + inbox.received.length;
          return gone >= sent.length ? Promise.resolve() : Promise.reject(missing(sent, parked));
        });
        judge(sent);
      }),
      // A bad message stays in the queue, so shrinking would give no valid example.
      { ...fuzzBudget(20), endOnFailure: true },
    );
    expect(rigged.observer.named('parking_failed')).toEqual([]);
    expect(rigged.observer.named('delivery_handler_failed')).toEqual([]);
  });

  it('has as many slots afterwards as before, and nothing comes again', async () => {
    inbox.received.length = 0;
    const steps = Array.from({ length: 2 * CONCURRENCY }, (_, n) => `held-${n}`);
    const message = { command: HELD };
    await rigged.transport.publish(steps.map((step) => stepDispatch(module, step, { message })));
    await inbox.counts(CONCURRENCY);
    expect(inbox.inHand).toBe(CONCURRENCY);
    gate.open();
    await inbox.counts(steps.length);
    expect(inbox.steps.toSorted()).toEqual(steps);
    await consumer.stop();
    const { messageCount } = await channel.checkQueue(queue);
    expect(messageCount).toBe(0);
  });
});

interface Sent extends StrayMessage {
  readonly id: string;
}

function taskIdIn(content: Buffer): unknown {
  return (JSON.parse(content.toString()) as { taskId?: unknown }).taskId;
}

function missing(sent: readonly Sent[], parked: ReadonlyMap<string, Buffer>): Error {
  const those = sent.filter(({ becomes, id }) => becomes === 'parked' && !parked.has(id));
  return new Error(`Not parked: ${fc.stringify(those)}`);
}
