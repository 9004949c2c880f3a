import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type ChannelModel, connect } from 'amqplib';
import { TransportUnavailable } from '#ports';
import {
  freshModule,
  Gate,
  Inbox,
  RecordingObserver,
  stepDispatch,
  SystemClock,
  within,
} from '#testing';
import { dropSocket } from '#seams/amqplib';
import { describeWith } from '../../../test/servers/describe-with.js';
import {
  present,
  type RabbitmqServer,
  startRabbitmq,
  TcpProxy,
} from '../../../test/servers/index.js';
import {
  eventually,
  RabbitmqRig,
  type RiggedTransport,
} from '../../../test/servers/rabbitmq-rig.js';
import { completeOptions } from './options.js';
import { QueueExam, type QueueVerdict } from './stuck-queues.js';
import { brokerAnswer } from './time-limit.js';
import { makeQueue, moduleQueue } from './topology.js';

const clock = new SystemClock();
const QUICK = { confirmTimeoutMs: 2_000, silentAfterMs: 6_000 };
const HASTY = { ...QUICK, rebuildQueues: true };
const HEALED_MS = 90_000;

describeWith('A RabbitMQ queue without a leader', { servers: ['rabbitmq'], own: true }, () => {
  let server: RabbitmqServer;
  let proxy: TcpProxy;
  let rig: RabbitmqRig;

  beforeAll(async () => {
    server = present(await startRabbitmq({ own: true }));
  }, 240_000);
  beforeEach(async () => {
    proxy = await TcpProxy.openBefore(server.amqpUrl);
    rig = new RabbitmqRig(proxy.through(server.amqpUrl));
  });
  afterEach(async () => {
    proxy.set('pass');
    await rig.dispose();
    await proxy.close();
  });
  afterAll(() => server.stop(), 240_000);

  /** Modules whose queues lost their leaders to a kill; none with a broker that bears it. */
  async function stuckModules(): Promise<string[]> {
    const found: string[] = [];
    for (let tries = 0; tries < 3 && found.length === 0; tries += 1) {
      const modules = [freshModule(), freshModule()];
      await rig.bare(async (channel) => {
        for (const module of modules) await makeQueue(channel, moduleQueue(module), '');
      });
      await server.kill();
      await server.restart();
      for (const module of modules) if (await isStuck(server.amqpUrl, module)) found.push(module);
    }
    return found;
  }

  async function fill(module: string): Promise<void> {
    const { transport } = await rig.open();
    const steps = Array.from({ length: 2_000 }, (_, n) => stepDispatch(module, `s${n}`));
    await transport.publish(steps);
  }

  async function length(module: string): Promise<number> {
    const queue = moduleQueue(module);
    return (await rig.bare((channel) => channel.checkQueue(queue))).messageCount;
  }

  it('is made anew by a process that only consumes', async () => {
    const stuck = await stuckModules();
    const executor = await rig.open(HASTY);
    const inbox = new Inbox();
    for (const module of stuck) void executor.transport.consume(module, 4, inbox.handler);
    const healed = eventually('served again', async () => {
      for (const module of stuck) expect(await isStuck(server.amqpUrl, module)).toBe(false);
    });
    await within('healed', healed, HEALED_MS);
    expectOnlyOnce(stuck, [executor]);
    const { transport } = await rig.open();
    await transport.publish(stuck.map((module) => stepDispatch(module, module)));
    for (const module of stuck) await inbox.gets(module);
    expect(inbox.received).toHaveLength(stuck.length);
  }, 240_000);

  it('is made anew once, whoever noticed, and other queues keep what they have', async () => {
    const other = freshModule();
    await fill(other);
    await server.settle();
    const stuck = await stuckModules();
    const processes = [await rig.open(HASTY), await rig.open(HASTY), await rig.open(HASTY)];
    const [first, ...executors] = processes as [RiggedTransport, ...RiggedTransport[]];
    const inbox = new Inbox();
    for (const { transport } of executors) {
      for (const module of stuck) void transport.consume(module, 4, inbox.handler);
    }
    const healed = eventually('publishing works again', () =>
      first.transport.publish([other, ...stuck].map((module) => stepDispatch(module, module))),
    );
    await within('healed', healed, HEALED_MS);
    for (const module of stuck) await inbox.gets(module);
    expectOnlyOnce(stuck, processes);
    expect(await length(other)).toBeGreaterThan(2_000);
  }, 240_000);

  it('is left to people by default, who are told how to mend it', async () => {
    const stuck = await stuckModules();
    const executor = await rig.open(QUICK);
    const inbox = new Inbox();
    for (const module of stuck) void executor.transport.consume(module, 4, inbox.handler);
    const queues = stuck.map((module) => moduleQueue(module));
    await eventually('reported', async () => {
      const told = executor.observer.named('queue_without_leader').map(({ message }) => message);
      for (const [index, queue] of queues.entries()) {
        // Under load a queue may find its leader by itself.
        if (!(await isStuck(server.amqpUrl, stuck[index]!))) continue;
        expect(told.join('\n')).toContain(`rabbitmqctl delete_queue ${queue}`);
      }
    });
    expect(rebuilt(executor)).toEqual([]);
    for (const queue of queues) await server.ctl('delete_queue', queue);
    const { transport } = await rig.open();
    await eventually('publishing works again', () =>
      transport.publish(stuck.map((module) => stepDispatch(module, module))),
    );
    for (const module of stuck) await inbox.gets(module);
  }, 240_000);

  it('keeps nothing from other queues once it is found, and is served when it is mended', async () => {
    const stuck = await stuckModules();
    const { transport } = await rig.open(QUICK);
    const steps = stuck.flatMap((module) => Array.from({ length: 600 }, () => module));
    const publish = (module: string): Promise<void> =>
      transport.publish([stepDispatch(module, 's')]);
    const lost = Promise.allSettled(steps.map(publish));
    const sent = eventually('sent to another queue', () => publish(freshModule()));
    await within('sent', sent, HEALED_MS);
    await lost;
    for (const module of stuck) await server.ctl('delete_queue', moduleQueue(module));
    const mended = eventually('sent again', () => Promise.all(stuck.map(publish)));
    await within('mended', mended, HEALED_MS);
  }, 360_000);

  it('is none that is long and slowly worked off', async () => {
    const module = freshModule();
    await fill(module);
    const gate = new Gate();
    const inbox = new Inbox(() => gate.passed.then(() => 'ack'));
    const { transport } = await rig.open(HASTY);
    await transport.consume(module, 1, inbox.handler);
    await inbox.counts(1);
    expect(await examine(server.amqpUrl, module)).toBe('well');
    expect(await length(module)).toBe(1_999);
    gate.open();
  }, 240_000);

  it('is not looked for during an alarm', async () => {
    const module = freshModule();
    await fill(module);
    const opened = await rig.open({ ...HASTY, confirmTimeoutMs: 100, silentAfterMs: 200 });
    await server.ctl('set_disk_free_limit', '900000GB');
    try {
      const blocked = opened.transport.publish([stepDispatch(module, 'late')]);
      await expect(blocked).rejects.toThrow(TransportUnavailable);
      await opened.observer.tells('broker_blocked');
      expect(await examine(server.amqpUrl, module).catch(String)).not.toBe('rebuilt');
    } finally {
      await server.ctl('set_disk_free_limit', '50MB');
    }
    expect(rebuilt(opened)).toEqual([]);
    expect(await length(module)).toBeGreaterThanOrEqual(2_000);
  }, 240_000);

  it.each(['paused', 'out of reach'])(
    'is not found in a broker that is %s',
    async (how) => {
      const module = freshModule();
      await fill(module);
      const opened = await rig.open({ ...HASTY, confirmTimeoutMs: 300, silentAfterMs: 400 });
      const { observer, transport } = opened;
      if (how === 'paused') await server.pause();
      else proxy.set('hole');
      try {
        const lost = transport.publish([stepDispatch(module, 'late')]);
        await expect(lost).rejects.toThrow('within 300 ms');
        await observer.tells('queue_silent');
      } finally {
        await server.resume();
        for (const connection of proxy.connections) if (how !== 'paused') connection.set('cut');
        proxy.set('pass');
      }
      await eventually('publishing works again', () =>
        transport.publish([stepDispatch(module, 'again')]),
      );
      expect(rebuilt(opened)).toEqual([]);
      expect(await length(module)).toBeGreaterThan(2_000);
    },
    240_000,
  );
});

/** Whether nobody answers for the queue. */
async function isStuck(url: string, module: string): Promise<boolean> {
  const model = await connect(url);
  // A queue that is deleted meanwhile ends the connection.
  model.on('error', () => undefined);
  const channel = await model.createChannel();
  channel.on('error', () => undefined);
  const subscribed = Promise.resolve(channel.consume(moduleQueue(module), () => undefined));
  try {
    await brokerAnswer(subscribed, 'subscribing', { clock, ms: 3_000 });
    return false;
  } catch {
    return true;
  } finally {
    // Not closed: the broker would wait for the channel, and that one for the queue.
    dropSocket(model);
  }
}

/**
 * No queue was made again twice, and none that was well. Under load a queue may look stuck and find
 * its leader by itself, so not every one must have been made again.
 */
function expectOnlyOnce(stuck: readonly string[], opened: readonly RiggedTransport[]): void {
  const made = rebuilt(...opened);
  expect(new Set(made).size).toBe(made.length);
  expect(stuck.map((module) => moduleQueue(module))).toEqual(expect.arrayContaining(made));
}

function rebuilt(...opened: readonly RiggedTransport[]): string[] {
  return opened.flatMap(({ observer }) =>
    observer.named('queue_rebuilt').map(({ message }) => message.split(' ')[1] as string),
  );
}

/** Looks at a queue as a transport does that suspects it. */
async function examine(url: string, module: string): Promise<QueueVerdict> {
  const entropy = { newId: () => freshModule(), idOf: (text: string) => text, random: () => 0.5 };
  const observer = new RecordingObserver();
  const settings = completeOptions({ clock, entropy, observer, rebuildQueues: true, urls: [url] });
  const model: ChannelModel = await connect(url);
  model.on('error', () => undefined);
  const { signal } = new AbortController();
  try {
    return await new QueueExam({ model, queue: moduleQueue(module), settings, signal }).run();
  } finally {
    await model.close();
  }
}
