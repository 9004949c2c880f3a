import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freshModule, Gate, Inbox, stepDispatch, stepTransportContract } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { present, startRabbitmq, type RabbitmqServer } from '../../../test/servers/index.js';
import { eventually, RabbitmqRig } from '../../../test/servers/rabbitmq-rig.js';
import { moduleQueue } from './topology.js';

describeWith('RabbitMQ', { servers: ['rabbitmq'] }, () => {
  let server: RabbitmqServer;
  let rig: RabbitmqRig;

  beforeAll(async () => {
    server = present(await startRabbitmq());
    rig = new RabbitmqRig(server.amqpUrl);
  }, 120_000);
  afterEach(() => rig.dispose());
  afterAll(() => server.stop(), 60_000);

  stepTransportContract('RabbitMQ', async () => {
    const { transport } = await rig.open();
    const openAnother = async () => (await rig.open()).transport;
    return { transport, openAnother, dispose: () => rig.dispose() };
  });

  describe('a message in its queue', () => {
    it('looks as the contract says', async () => {
      const { transport } = await rig.open();
      const module = freshModule();
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const dispatch = stepDispatch(module, 'a', { priority: 7, traceparent });
      await transport.publish([dispatch]);
      const got = await rig.bare((channel) => channel.get(moduleQueue(module), { noAck: true }));
      if (got === false) throw new Error('the queue is empty');
      expect(JSON.parse(got.content.toString())).toEqual(dispatch.message);
      expect(got.properties).toMatchObject({
        contentType: 'application/json',
        deliveryMode: 2,
        headers: { traceparent, 'x-backstep-priority': 7 },
        messageId: expect.any(String),
      });
    });

    it('may have been written by a stranger', async () => {
      const { transport } = await rig.open();
      const module = freshModule();
      const inbox = new Inbox();
      const dispatch = stepDispatch(module, 'a');
      await transport.consume(module, 1, inbox.handler);
      const body = Buffer.from(JSON.stringify({ ...dispatch.message, extra: { more: [1] } }));
      const headers = { traceparent: 'not one', 'x-backstep-priority': 'high' };
      await rig.bare(async (channel) => {
        channel.sendToQueue(moduleQueue(module), body, { headers });
        await channel.checkQueue(moduleQueue(module));
      });
      await inbox.gets('a');
      expect(inbox.received).toEqual([dispatch]);
    });
  });

  describe('a message that cannot be read', () => {
    const good = stepDispatch('x', 'good').message;
    const bodies: [string, Buffer][] = [
      ['not JSON', Buffer.from('{"v":1')],
      ['not a JSON object', Buffer.from('[]')],
      ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
      ['unknown format version', json({ ...good, v: 2 })],
      ['cursor is not', json({ ...good, cursor: '0' })],
      ['for another module', json(good)],
      ['larger than', json({ ...good, parameters: { text: 'x'.repeat(1_048_576) } })],
      ['not JSON', Buffer.alloc(0)],
    ];

    it.each(bodies)('is parked: %s', async (reason, body) => {
      const { observer, transport } = await rig.open();
      const module = freshModule();
      const inbox = new Inbox();
      await transport.consume(module, 1, inbox.handler);
      const queue = moduleQueue(module);
      const headers = { mine: 'kept', table: { not: 'kept' } };
      await rig.bare(async (channel) => {
        channel.sendToQueue(queue, body, { headers, messageId: 'theirs' });
        await channel.checkQueue(queue);
      });
      const parked = await rig.parkedFrom(queue);
      expect(parked.content.equals(body)).toBe(true);
      expect(parked.properties.correlationId).toBe('theirs');
      expect(parked.properties.headers).toMatchObject({
        mine: 'kept',
        'x-backstep-queue': queue,
        'x-backstep-reason': expect.stringContaining(reason),
      });
      expect(parked.properties.headers).not.toHaveProperty('table');
      await observer.tells('message_parked');
      await transport.publish([stepDispatch(module, 'next')]);
      await inbox.gets('next');
      expect(inbox.steps).toEqual(['next']);
    });
  });

  describe('a queue', () => {
    it('is made a durable quorum queue when a message finds none', async () => {
      const { observer, transport } = await rig.open();
      const module = freshModule();
      await transport.publish([stepDispatch(module, 'a'), stepDispatch(module, 'b')]);
      expect(observer.named('queue_missing')).toHaveLength(1);
      const queue = moduleQueue(module);
      const { messageCount } = await rig.bare((channel) => channel.checkQueue(queue));
      expect(messageCount).toBe(2);
    });

    it('that somebody made otherwise is taken as it is', async () => {
      const { transport } = await rig.open();
      const module = freshModule();
      const inbox = new Inbox();
      await rig.bare((channel) => channel.assertQueue(moduleQueue(module), { durable: true }));
      await transport.consume(module, 1, inbox.handler);
      await transport.publish([stepDispatch(module, 'a')]);
      await inbox.gets('a');
    });

    it('that is deleted under its consumers is made again', async () => {
      const { observer, transport } = await rig.open();
      const modules = [freshModule(), freshModule()];
      const inboxes = modules.map(() => new Inbox());
      const gate = new Gate();
      const busy = new Inbox(() => gate.passed.then(() => 'ack'));
      const [first = '', second = ''] = modules;
      await transport.consume(first, 2, busy.handler);
      await transport.consume(second, 1, inboxes[1]!.handler);
      await transport.publish([stepDispatch(first, 'a')]);
      await busy.gets('a');
      await rig.bare(async (channel) => {
        for (const module of modules) await channel.deleteQueue(moduleQueue(module));
      });
      gate.open();
      await transport.publish([stepDispatch(first, 'b'), stepDispatch(second, 'c')]);
      await Promise.all([busy.gets('b'), inboxes[1]!.gets('c')]);
      expect(observer.named('delivery_handler_failed')).toEqual([]);
    }, 30_000);
  });

  describe('a consumer', () => {
    it('that has nothing to do subscribes anew and misses nothing', async () => {
      const { transport } = await rig.open({ renewIdleMs: 20 });
      const module = freshModule();
      const inbox = new Inbox();
      await transport.consume(module, 4, inbox.handler);
      const subscribed = async () =>
        (await rig.bare((channel) => channel.checkQueue(moduleQueue(module)))).consumerCount;
      for (let n = 0; n < 20; n += 1) {
        await eventually('it is subscribed', async () => expect(await subscribed()).toBe(1));
        await transport.publish([stepDispatch(module, `s${n}`)]);
        await inbox.gets(`s${n}`);
      }
    }, 30_000);

    it('whose subscription the broker has lost gets messages again before long', async () => {
      const [{ transport }, other] = [await rig.open(), await rig.open()];
      const module = freshModule();
      const inbox = new Inbox();
      await transport.consume(module, 4, inbox.handler);
      await other.transport.publish([stepDispatch(module, 'before')]);
      await inbox.gets('before');
      await rig.bare(async (channel) => {
        const quorum = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
        const deleted = channel.deleteQueue(moduleQueue(module));
        await Promise.all([deleted, channel.assertQueue(moduleQueue(module), quorum)]);
      });
      await other.transport.publish([stepDispatch(module, 'after')]);
      await inbox.gets('after');
    }, 60_000);

    it('that stops loses nothing and has nothing delivered twice', async () => {
      const { transport } = await rig.open();
      const module = freshModule();
      const steps = Array.from({ length: 600 }, (_, n) => `s${n}`);
      await transport.publish(steps.map((step) => stepDispatch(module, step)));
      const [first, second] = [new Inbox(), new Inbox()];
      const consumer = await transport.consume(module, 32, first.handler);
      await first.counts(100);
      await consumer.stop();
      const got = first.received.length;
      await transport.consume(module, 32, second.handler);
      await second.counts(steps.length - got);
      expect([...first.steps, ...second.steps].sort()).toEqual([...steps].sort());
    });

    it('acknowledges what is done while an earlier message is still in hand', async () => {
      const { transport } = await rig.open();
      const module = freshModule();
      const gate = new Gate();
      const inbox = new Inbox(({ message }) =>
        message.step === 'slow' ? gate.passed.then(() => 'ack') : 'ack',
      );
      await transport.consume(module, 2, inbox.handler);
      await transport.publish([stepDispatch(module, 'slow')]);
      await inbox.gets('slow');
      const quick = Array.from({ length: 50 }, (_, n) => stepDispatch(module, `q${n}`));
      await transport.publish(quick);
      await inbox.counts(51);
      gate.open();
    });
  });
});

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
