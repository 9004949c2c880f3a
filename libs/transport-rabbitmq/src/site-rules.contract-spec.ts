import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Dispatch } from '#core';
import type { StepTransport } from '#ports';
import { FakeEntropy, freshModule, Inbox, stepDispatch, SystemClock, within } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { present, startRabbitmq, type RabbitmqServer } from '../../../test/servers/index.js';
import { eventually, RabbitmqRig } from '../../../test/servers/rabbitmq-rig.js';
import { type BrokerFault, examineBroker } from './examine-broker.js';
import { PARKING_QUEUE, moduleQueue, queueArguments } from './topology.js';

const ALL = '.*';
const NONE = '^$';

/** The least that a broker may be set to. */
const settings = ['frame_max = 4096'];

describeWith('RabbitMQ with the rules of a site', { servers: ['rabbitmq'], own: true }, () => {
  let server: RabbitmqServer;
  let rig: RabbitmqRig;
  let version: string;

  beforeAll(async () => {
    server = present(await startRabbitmq({ own: true, settings }));
    rig = new RabbitmqRig(server.amqpUrl);
    version = await server.ctl('version');
    await server.ctl('add_user', 'limited', 'pw');
    // As an earlier process has made it, which had all rights.
    await (await rig.open()).transport.ping();
  }, 240_000);
  afterEach(() => rig.dispose());
  afterAll(() => server.stop(), 60_000);

  /** Permissions of the limited user: to configure, to write, to read. */
  function allow(configure: string, write: string, read: string): Promise<string> {
    return server.ctl('set_permissions', '-p', '/', 'limited', configure, write, read);
  }

  const limited = (): string => server.amqpUrl.replace('guest:guest', 'limited:pw');

  function kindsOf(transport: StepTransport): readonly string[] {
    return transport.troubles().map(({ kind }) => kind);
  }

  it('a document that is too long for a frame stays at home, and cuts off nobody', async () => {
    const { observer, transport } = await rig.open();
    const module = freshModule();
    const inbox = new Inbox();
    await transport.consume(module, 4, inbox.handler);
    const sizes = [100, 2_400, 2_600, 4_000, 20_000];
    const dispatches = sizes.map((size): Dispatch => {
      return { ...stepDispatch(module, `s${size}`), snapshot: 'é'.repeat(size / 2) };
    });
    await Promise.all(dispatches.map((dispatch) => transport.publish([dispatch])));
    for (const size of sizes) await inbox.gets(`s${size}`);
    const brought = inbox.received.map(({ message, snapshot }) => [message.step, snapshot?.length]);
    expect(Object.fromEntries(brought)).toMatchObject({ s100: 50, s20000: undefined });
    expect(observer.named('broker_disconnected')).toEqual([]);
    expect(transport.troubles()).toEqual([]);
  }, 60_000);

  it("a stranger's message is parked, though its headers fill more than a frame", async () => {
    const { observer, transport } = await rig.open();
    const module = freshModule();
    await transport.consume(module, 1, new Inbox().handler);
    const names = Array.from({ length: 14 }, (_, n) => `h${n}`);
    const headers = Object.fromEntries(names.map((name) => [name, 'x'.repeat(230)]));
    await rig.bare(async (channel) => {
      channel.sendToQueue(moduleQueue(module), Buffer.from('no JSON'), { headers });
      await channel.close();
    });
    const parked = await rig.parkedFrom(moduleQueue(module));
    expect(parked.properties.headers).toMatchObject({ 'x-backstep-reason': 'not JSON' });
    expect(observer.named('broker_disconnected')).toEqual([]);
  }, 60_000);

  it('a message larger than the broker takes goes without its parameters', async () => {
    await server.ctl('eval', limitOf(2_000));
    try {
      const { transport } = await rig.open();
      const module = freshModule();
      const inbox = new Inbox();
      await transport.consume(module, 4, inbox.handler);
      const large = stepDispatch(module, 'large', {
        message: { parameters: { a: 'x'.repeat(3_000) } },
      });
      await expect(transport.publish([large])).rejects.toThrow('what it has is unknown');
      expect(transport.troubles()[0]?.message).toContain('larger than configured max size 2000');
      await eventually('it is sent', () => transport.publish([large]));
      await inbox.gets('large');
      expect(inbox.received[0]?.message.parameters).toEqual({});
      expect(transport.troubles()).toEqual([]);
      const name = 'n'.repeat(3_000);
      const endless = stepDispatch(module, 'endless', { message: { command: name } });
      await expect(transport.publish([endless])).rejects.toThrow('A message could not be sent');
      expect(transport.troubles()[0]?.message).toContain('the broker takes 2000 at most');
      await transport.publish([stepDispatch(module, 'small')]);
      await inbox.gets('small');
    } finally {
      await server.ctl('eval', limitOf(134_217_728));
    }
  }, 60_000);

  it('a queue that refuses messages is told of until it takes one', async () => {
    const module = freshModule();
    const limit = '{"max-length":1,"overflow":"reject-publish"}';
    await server.ctl('set_policy', 'full', `^backstep\\.${module}$`, limit);
    const { transport } = await rig.open();
    const publish = (step: string) => transport.publish([stepDispatch(module, step)]);
    await publish('a');
    await eventually('it is full', () =>
      expect(Promise.all(['b', 'c', 'd'].map(publish))).rejects.toThrow('The broker refused'),
    );
    await expect(publish('e')).rejects.toThrow('The broker refused');
    expect(transport.troubles()).toMatchObject([{ kind: 'not_sent', module }]);
    expect(transport.troubles()[0]?.message).toContain('basic.nack');
    await transport.consume(module, 4, new Inbox().handler);
    await eventually('it takes one', () => publish('f'));
    expect(transport.troubles()).toEqual([]);
    await server.ctl('clear_policy', 'full');
  }, 60_000);

  it("names the permission to send in the broker's words, until it is there", async () => {
    const module = freshModule();
    await allow(ALL, NONE, ALL);
    const { transport } = await rig.open({ urls: [limited()] });
    const refused = transport.publish([stepDispatch(module, 'a')]);
    await within('refused', expect(refused).rejects.toThrow('what it has is unknown'));
    expect(transport.troubles()).toMatchObject([{ kind: 'not_sent', module }]);
    expect(transport.troubles()[0]?.message).toContain('access to exchange');
    await allow(ALL, ALL, ALL);
    await eventually('it is sent', () => transport.publish([stepDispatch(module, 'a')]));
    expect(transport.troubles()).toEqual([]);
  }, 60_000);

  it('is not ready while it may not subscribe, and says why', async () => {
    const module = freshModule();
    await allow(ALL, ALL, NONE);
    const { transport } = await rig.open({ urls: [limited()] });
    const inbox = new Inbox();
    await transport.consume(module, 1, inbox.handler);
    expect(transport.troubles()).toMatchObject([{ kind: 'not_received', module }]);
    const words = `access to queue '${moduleQueue(module)}'`;
    await expect(transport.ping()).rejects.toThrow(words);
    expect(await transport.receivers(module)).toBe(0);
    await allow(ALL, ALL, ALL);
    await eventually('it is ready', () => transport.ping());
    await transport.publish([stepDispatch(module, 'a')]);
    await inbox.gets('a');
    await eventually('it is counted', async () => {
      expect(await transport.receivers(module)).toBe(1);
    });
    expect(transport.troubles()).toEqual([]);
  }, 60_000);

  it('works on queues that an administrator made, without the right to make any', async () => {
    const module = freshModule();
    await rig.bare(async (channel) => {
      for (const queue of [PARKING_QUEUE, moduleQueue(module)]) {
        await channel.assertQueue(queue, {
          durable: true,
          arguments: queueArguments(queue, version),
        });
      }
    });
    await allow(NONE, ALL, ALL);
    const { observer, transport } = await rig.open({ urls: [limited()] });
    const inbox = new Inbox();
    await transport.consume(module, 4, inbox.handler);
    const sent = [0, 5, -5].map((priority) => stepDispatch(module, `p${priority}`, { priority }));
    for (const dispatch of sent) await transport.publish([dispatch]);
    await transport.publish([stepDispatch(module, 'early')], { mayBeLost: true });
    for (const step of ['p0', 'p5', 'p-5', 'early']) await inbox.gets(step);
    await transport.ping();
    expect(kindsOf(transport)).toEqual([]);
    const failed = observer.named('broker_channel_failed').map(({ message }) => message);
    expect(failed.filter((text) => text.includes('.immediate'))).toHaveLength(1);
  }, 60_000);

  it('names why no connection is let in', async () => {
    await allow(ALL, ALL, ALL);
    const wordsAt = async (url: string): Promise<string> => {
      const { transport } = await rig.open({ urls: [url] });
      return transport.obstacle?.message ?? '';
    };
    const host = new URL(server.amqpUrl).host;
    expect(await wordsAt(`amqp://guest:guest@${host}/nowhere`)).toContain(
      'vhost nowhere not found',
    );
    expect(await wordsAt(`amqp://guest:wrong@${host}`)).toContain(
      'ACCESS_REFUSED - Login was refused',
    );
    await server.ctl('clear_permissions', '-p', '/', 'limited');
    expect(await wordsAt(limited())).toContain("access to vhost '/' refused for user 'limited'");
    await allow(ALL, ALL, ALL);
    await server.ctl('set_user_limits', 'limited', '{"max-connections":0}');
    expect(await wordsAt(limited())).toContain('connection limit (0) is reached');
    await server.ctl('clear_user_limits', 'limited', 'all');
  }, 120_000);

  describe('an examination', () => {
    const machine = { clock: new SystemClock(), entropy: new FakeEntropy() };
    const examine = (
      url: string,
      modules: readonly string[] = [],
    ): Promise<readonly BrokerFault[]> => {
      return examineBroker({ ...machine, urls: [url], set: null, modules });
    };
    const declare = (queue: string, more: object = {}): Promise<unknown> => {
      const queueOptions = {
        durable: true,
        arguments: { ...queueArguments(queue, version), ...more },
      };
      return rig.bare((channel) => channel.assertQueue(queue, queueOptions));
    };

    it('finds no fault where all is well, takes no message, and leaves nothing', async () => {
      const { transport } = await rig.open();
      const module = freshModule();
      await transport.publish([stepDispatch(module, 'a')]);
      expect(await examine(server.amqpUrl, [module, freshModule()])).toEqual([]);
      const queues = await server.ctl('list_queues', 'name', 'messages');
      expect(queues).not.toContain('doctor');
      await eventually('it is there', async () => {
        expect(await rig.lengthOf(moduleQueue(module))).toBe(1);
      });
    }, 60_000);

    it("names missing rights in the broker's words", async () => {
      const module = freshModule();
      await declare(moduleQueue(module));
      await allow(ALL, NONE, ALL);
      expect(await examine(limited(), [module])).toMatchObject([
        { kind: 'permission', detail: expect.stringContaining('access to exchange') },
      ]);
      await allow(ALL, ALL, NONE);
      const faults = await examine(limited(), [module]);
      expect(faults).toContainEqual(
        expect.objectContaining({
          kind: 'permission',
          detail: expect.stringContaining(`access to queue '${moduleQueue(module)}'`),
        }),
      );
      await allow(NONE, ALL, ALL);
      expect(await examine(limited(), [module])).toEqual([]);
      const absent = freshModule();
      expect(await examine(limited(), [absent])).toMatchObject([
        { kind: 'missing', detail: expect.stringContaining(moduleQueue(absent)) },
      ]);
    }, 60_000);

    it('names alarms, queues of other arguments, and nodes that let nobody in', async () => {
      const module = freshModule();
      await declare(moduleQueue(module), { 'x-max-length': 5 });
      expect(await examine(server.amqpUrl, [module])).toMatchObject([
        { kind: 'different', detail: expect.stringContaining("inequivalent arg 'x-max-length'") },
      ]);
      await server.ctl('set_disk_free_limit', '900000GB');
      try {
        expect(await examine(server.amqpUrl)).toMatchObject([
          { kind: 'alarm', detail: expect.stringContaining('low on disk') },
        ]);
      } finally {
        await server.ctl('set_disk_free_limit', '50MB');
      }
      const { host } = new URL(server.amqpUrl);
      expect(await examine(`amqp://guest:guest@${host}/nowhere`)).toMatchObject([
        { kind: 'unreachable', detail: expect.stringContaining('vhost nowhere not found') },
      ]);
    }, 60_000);
  });

  it('takes the first node that lets it in', async () => {
    const { host } = new URL(server.amqpUrl);
    const urls = ['amqp://127.0.0.1:1', `amqp://guest:guest@${host}/nowhere`, server.amqpUrl];
    const { transport } = await rig.open({ urls });
    await transport.ping();
  }, 60_000);
});

/** Sets the largest message that the broker takes, where versions before and from 4 on keep it. */
function limitOf(bytes: number): string {
  const before = `application:set_env(rabbit, max_message_size, ${bytes})`;
  return `${before}, persistent_term:put(max_message_size, ${bytes}).`;
}
