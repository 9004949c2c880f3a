import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freshModule, Gate, Inbox, stepDispatch, stepTransportContract } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { present, startRabbitmq, type RabbitmqServer } from '../../../test/servers/index.js';
import { eventually, RabbitmqRig } from '../../../test/servers/rabbitmq-rig.js';
import { moduleQueue, PARKING_QUEUE } from './topology.js';

describeWith('RabbitMQ', { servers: ['rabbitmq'] }, () => {
  let server: RabbitmqServer;
  let rig: RabbitmqRig;

  beforeAll(async () => {
    server = present(await startRabbitmq());
    rig = new RabbitmqRig(server.amqpUrl);
  }, 240_000);
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
      const dispatch = stepDispatch(module, 'a', { priority: 7, orderAt: 5_000, traceparent });
      await transport.publish([dispatch]);
      const queue = moduleQueue(module, 'high');
      const got = await rig.bare((channel) => channel.get(queue, { noAck: true }));
      if (got === false) throw new Error('the queue is empty');
      expect(JSON.parse(got.content.toString())).toEqual(dispatch.message);
      expect(got.properties).toMatchObject({
        contentType: 'application/json',
        deliveryMode: 2,
        headers: { traceparent, 'x-backstep-order-time': 5_000, 'x-backstep-priority': 7 },
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
      expect(parked.content.equals(body.subarray(0, 65_536))).toBe(true);
      const digest = createHash('sha256').update(body).digest('hex');
      const cut = { 'x-backstep-length': body.length, 'x-backstep-sha256': digest };
      const isWhole = body.length <= 65_536;
      expect(parked.properties.headers).toMatchObject(isWhole ? {} : cut);
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

  describe('the parking queue', () => {
    const quorum = { 'x-queue-type': 'quorum' };

    it('is bounded in bytes, and the oldest messages give way', async () => {
      const { transport } = await rig.open();
      await rig.bare((channel) => channel.deleteQueue(PARKING_QUEUE));
      await transport.ping();
      // A queue with other arguments would be refused.
      const bounds = { 'x-max-length-bytes': 268_435_456, 'x-overflow': 'drop-head' };
      await rig.bare((channel) => {
        const { version } = channel.connection.serverProperties;
        const unlimited = Number.parseInt(version, 10) >= 4 ? { 'x-delivery-limit': -1 } : {};
        const all = { ...quorum, ...unlimited, ...bounds };
        return channel.assertQueue(PARKING_QUEUE, { durable: true, arguments: all });
      });
    });

    it('that was made without bounds is taken as it is', async () => {
      await rig.bare(async (channel) => {
        await channel.deleteQueue(PARKING_QUEUE);
        await channel.assertQueue(PARKING_QUEUE, { durable: true, arguments: quorum });
      });
      const { transport } = await rig.open();
      await transport.ping();
      const module = freshModule();
      await transport.consume(module, 1, new Inbox().handler);
      const queue = moduleQueue(module);
      await rig.bare(async (channel) => {
        channel.sendToQueue(queue, Buffer.from('{'));
        await channel.checkQueue(queue);
      });
      expect((await rig.parkedFrom(queue)).content.toString()).toBe('{');
      await rig.bare((channel) => channel.deleteQueue(PARKING_QUEUE));
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
    }, 240_000);
  });

  describe('the queues of a module', () => {
    const urgent = (module: string, step = 'a') => stepDispatch(module, step, { priority: 7 });
    const later = (module: string, step = 'a') => stepDispatch(module, step, { priority: -1 });

    it('are one for each class of priority, the two beside the normal one once they are used', async () => {
      const { transport } = await rig.open();
      const module = freshModule();
      const queues = [`backstep.${module}.high`, `backstep.${module}`, `backstep.${module}.low`];
      const lengths = () => Promise.all(queues.map((queue) => rig.lengthOf(queue)));
      await transport.publish([stepDispatch(module, 'a')]);
      expect(await lengths()).toEqual([null, 1, null]);
      await transport.publish([urgent(module), urgent(module)]);
      expect(await lengths()).toEqual([2, 1, null]);
      await transport.publish([later(module)]);
      expect(await lengths()).toEqual([2, 1, 1]);
      expect(await transport.depth(module)).toBe(4);
    });

    it('are found by a consumer that another process runs, and looking leaves nothing', async () => {
      const [{ observer, transport }, other] = [
        await rig.open({ findQueuesMs: 10 }),
        await rig.open(),
      ];
      const module = freshModule();
      const inbox = new Inbox();
      await transport.consume(module, 1, inbox.handler);
      // Looked for in vain meanwhile, with nothing to be seen of it at the broker.
      await new Promise((resolve) => setImmediate(resolve));
      expect(await rig.lengthOf(`backstep.${module}.high`)).toBeNull();
      await other.transport.publish([urgent(module), later(module, 'b')]);
      await inbox.countsSteps(2);
      expect(inbox.received).toHaveLength(2);
      expect(observer.named('message_parked')).toEqual([]);
      expect(observer.named('broker_channel_failed')).toEqual([]);
    });

    it('are found again by a process that was started anew', async () => {
      const module = freshModule();
      const publisher = await rig.open();
      await publisher.transport.publish([urgent(module), later(module, 'b')]);
      const { transport } = await rig.open();
      // A message sent to look for a queue may still lie behind those that wait in it.
      expect(await transport.depth(module)).toBeGreaterThanOrEqual(2);
      const inbox = new Inbox();
      await transport.consume(module, 1, inbox.handler);
      await inbox.countsSteps(2);
      expect(inbox.received).toHaveLength(2);
    });

    it('park what cannot be read under their own names', async () => {
      const { transport } = await rig.open();
      const module = freshModule();
      await transport.publish([urgent(module)]);
      const queue = `backstep.${module}.high`;
      await rig.bare(async (channel) => {
        channel.sendToQueue(queue, Buffer.from('{'));
        await channel.checkQueue(queue);
      });
      const inbox = new Inbox();
      await transport.consume(module, 1, inbox.handler);
      expect((await rig.parkedFrom(queue)).content.toString()).toBe('{');
    });

    it('are made again when they are deleted under their consumers', async () => {
      const { transport } = await rig.open();
      const module = freshModule();
      const inbox = new Inbox();
      await transport.consume(module, 1, inbox.handler);
      await transport.publish([urgent(module, 'a')]);
      await inbox.gets('a');
      await rig.bare((channel) => channel.deleteQueue(`backstep.${module}.high`));
      await transport.publish([urgent(module, 'b')]);
      await inbox.gets('b');
    });

    it('keep no message from another process that has a slot', async () => {
      const [full, free] = [await rig.open(), await rig.open()];
      const module = freshModule();
      const gate = new Gate();
      const [busy, idle] = [new Inbox(() => gate.passed.then(() => 'ack')), new Inbox()];
      await full.transport.consume(module, 1, busy.handler);
      await full.transport.publish([stepDispatch(module, 'long')]);
      await busy.gets('long');
      // The busy process alone consumes: it gets the message, and has no slot for it.
      await full.transport.publish([urgent(module, 'urgent')]);
      await free.transport.consume(module, 1, idle.handler);
      await idle.gets('urgent');
      expect(busy.steps).toEqual(['long']);
      gate.open();
    });
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
    }, 240_000);

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
    }, 240_000);

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
