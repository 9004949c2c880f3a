import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';
import { freshModule, Gate, Inbox, stepDispatch } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { present, startRabbitmq, type RabbitmqServer } from '../../../test/servers/index.js';
import { eventually, RabbitmqRig } from '../../../test/servers/rabbitmq-rig.js';
import { moduleQueue } from './topology.js';

const MAY_BE_LOST = { mayBeLost: true } as const;

describeWith('RabbitMQ, the queue that keeps nothing', { servers: ['rabbitmq'] }, () => {
  let server: RabbitmqServer;
  let rig: RabbitmqRig;

  beforeAll(async () => {
    server = present(await startRabbitmq());
    rig = new RabbitmqRig(server.amqpUrl);
  }, 240_000);
  afterEach(() => rig.dispose());
  afterAll(() => server.stop(), 60_000);

  it('is there with the first consumer, and gets what may be lost', async () => {
    const { transport } = await rig.open();
    const module = freshModule();
    const consumer = await transport.consume(module, 1, new Inbox().handler);
    await consumer.stop();
    await rig.bare(async (channel) => {
      const got = new Promise<ConsumeMessage | null>((resolve) => {
        void channel.consume(moduleQueue(module, 'immediate'), resolve, { noAck: true });
      });
      await channel.checkQueue(moduleQueue(module, 'immediate'));
      await transport.publish([stepDispatch(module, 'a')]);
      await transport.publish([stepDispatch(module, 'b')], MAY_BE_LOST);
      const message = await got;
      expect(JSON.parse(message!.content.toString())).toMatchObject({ step: 'b' });
      expect(message!.properties.deliveryMode).toBe(1);
    });
    expect(await rig.lengthOf(moduleQueue(module))).toBe(1);
  });

  it('passes on at once what no process takes', async () => {
    const { transport } = await rig.open();
    const module = freshModule();
    const consumer = await transport.consume(module, 1, new Inbox().handler);
    await consumer.stop();
    await transport.publish([stepDispatch(module, 'a')], MAY_BE_LOST);
    await eventually('it is passed on', async () => {
      expect(await rig.lengthOf(moduleQueue(module))).toBe(1);
    });
    expect(await rig.lengthOf(moduleQueue(module, 'immediate'))).toBe(0);
    const inbox = new Inbox();
    await transport.consume(module, 1, inbox.handler);
    await inbox.gets('a');
  });

  it('keeps no message in a process without a place from another one that has it', async () => {
    const [full, free] = [await rig.open(), await rig.open()];
    const module = freshModule();
    const gate = new Gate();
    const [busy, idle] = [new Inbox(() => gate.passed.then(() => 'ack')), new Inbox()];
    await full.transport.consume(module, 1, busy.handler);
    await full.transport.publish([stepDispatch(module, 'long')], MAY_BE_LOST);
    await busy.gets('long');
    await full.transport.publish([stepDispatch(module, 'next')], MAY_BE_LOST);
    await free.transport.consume(module, 1, idle.handler);
    await idle.gets('next');
    expect(busy.steps).toEqual(['long']);
    gate.open();
  });

  it('passes on what a process had in hand whose connection ends', async () => {
    const [lost, other] = [await rig.open(), await rig.open()];
    const module = freshModule();
    const gate = new Gate();
    const [busy, inbox] = [new Inbox(() => gate.passed.then(() => 'ack')), new Inbox()];
    await lost.transport.consume(module, 1, busy.handler);
    await other.transport.publish([stepDispatch(module, 'a')], MAY_BE_LOST);
    await busy.gets('a');
    await lost.transport.close();
    gate.open();
    await other.transport.consume(module, 1, inbox.handler);
    await inbox.gets('a');
  });

  it('is done without where it is not there, until a consumer makes it again', async () => {
    const { observer, transport } = await rig.open();
    const module = freshModule();
    const inbox = new Inbox();
    await transport.consume(module, 1, inbox.handler);
    await rig.bare((channel) => channel.deleteQueue(moduleQueue(module, 'immediate')));
    await transport.publish([stepDispatch(module, 'a')], MAY_BE_LOST);
    await inbox.gets('a');
    await eventually('it is there again', async () => {
      expect(await rig.lengthOf(moduleQueue(module, 'immediate'))).toBe(0);
    });
    expect(observer.named('queue_missing')).toEqual([]);
  });

  it('is not needed by a module that nobody has consumed so far', async () => {
    const { transport } = await rig.open();
    const module = freshModule();
    await transport.publish([stepDispatch(module, 'a')], MAY_BE_LOST);
    const got = await rig.bare((channel) => channel.get(moduleQueue(module), { noAck: true }));
    expect(got).toMatchObject({ properties: { deliveryMode: 2 } });
  });

  it('is done without where it refuses messages', async () => {
    const { transport } = await rig.open();
    const module = freshModule();
    const bounds = { 'x-max-length': 0, 'x-overflow': 'reject-publish' };
    await rig.bare(async (channel) => {
      const options = { durable: true, arguments: bounds };
      await channel.assertQueue(moduleQueue(module, 'immediate'), options);
    });
    await transport.publish([stepDispatch(module, 'a')], MAY_BE_LOST);
    const got = await rig.bare((channel) => channel.get(moduleQueue(module), { noAck: true }));
    expect(got).toMatchObject({ properties: { deliveryMode: 2 } });
  });
});
