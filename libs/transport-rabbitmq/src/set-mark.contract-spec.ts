import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { TransportUnavailable } from '#ports';
import { freshModule, Inbox, stepDispatch } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { present, startRabbitmq, TcpProxy } from '../../../test/servers/index.js';
import type { RabbitmqServer } from '../../../test/servers/index.js';
import { eventually, RabbitmqRig } from '../../../test/servers/rabbitmq-rig.js';
import { SET_EXCHANGE, VhostTaken } from './set-mark.js';

describeWith('sets of processes on one vhost', { servers: ['rabbitmq'], own: true }, () => {
  let server: RabbitmqServer;
  let proxy: TcpProxy;
  /** Of the processes whose connections can be cut. */
  let rig: RabbitmqRig;
  let others: RabbitmqRig;

  beforeAll(async () => {
    server = present(await startRabbitmq({ own: true }));
  }, 240_000);
  beforeEach(async () => {
    proxy = await TcpProxy.openBefore(server.amqpUrl);
    rig = new RabbitmqRig(proxy.through(server.amqpUrl));
    others = new RabbitmqRig(server.amqpUrl);
  });
  afterEach(async () => {
    proxy.set('pass');
    await rig.dispose();
    await others.dispose();
    await proxy.close();
  });
  afterAll(() => server.stop(), 60_000);

  it('may be many processes of one store', async () => {
    const first = await rig.open({ set: 'a' });
    const second = await others.open({ set: 'a' });
    const [module, inbox] = [freshModule(), new Inbox()];
    await second.transport.consume(module, 1, inbox.handler);
    await first.transport.publish([stepDispatch(module, 'one')]);
    await inbox.gets('one');
    const names = [...first.observer.notices, ...second.observer.notices].map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['broker_connected']));
  });

  it('are refused with another store while those of the first one live, and not after that', async () => {
    const first = await rig.open({ set: 'a' });
    await expect(others.open({ set: 'b' })).rejects.toThrow(VhostTaken);
    await expect(others.open({ set: 'b' })).rejects.toThrow(/vhost of its own/);
    await first.transport.ping();
    await first.transport.close();
    const second = await eventually('the other set starts', () => others.open({ set: 'b' }));
    await second.transport.ping();
    await expect(rig.open({ set: 'a' })).rejects.toThrow(VhostTaken);
  });

  it('that come back to a vhost of another set take nothing, and wait until it is free', async () => {
    const first = await rig.open({ set: 'a' });
    const [module, inbox] = [freshModule(), new Inbox()];
    await first.transport.consume(module, 1, inbox.handler);
    proxy.set('cut');
    const second = await eventually('the mark is gone', () => others.open({ set: 'b' }));
    await second.transport.publish([stepDispatch(module, 'of the other set')]);
    proxy.set('pass');
    const away = expect.objectContaining({ message: expect.stringMatching(/another store/) });
    await eventually('it knows', () => expect(first.transport.ping()).rejects.toEqual(away));
    const told = first.observer.notices.filter(({ name }) => name === 'broker_taken');
    expect(told[0]).toMatchObject({
      level: 'error',
      message: expect.stringMatching(/vhost of its/),
    });
    await expect(first.transport.publish([stepDispatch(module, 'x')])).rejects.toThrow(
      TransportUnavailable,
    );
    expect(inbox.received).toEqual([]);
    expect(await others.lengthOf(`backstep.${module}`)).toBe(1);
    await second.transport.close();
    await eventually('it is back', () => first.transport.ping());
    await inbox.gets('of the other set');
  });

  it('are not kept out by a mark that nobody holds', async () => {
    await others.bare((channel) =>
      channel.assertExchange(SET_EXCHANGE, 'fanout', {
        autoDelete: true,
        durable: false,
        alternateExchange: `${SET_EXCHANGE}.gone`,
      }),
    );
    const { transport } = await others.open({ set: 'b' });
    await transport.ping();
  });

  it('work without a mark where the broker allows none, and say so', async () => {
    await server.ctl('set_permissions', 'guest', '^(?!backstep\\.set).*', '.*', '.*');
    try {
      const { observer, transport } = await others.open({ set: 'a' });
      await transport.ping();
      expect(observer.notices.map(({ name }) => name)).toContain('set_unmarked');
    } finally {
      await server.ctl('set_permissions', 'guest', '.*', '.*', '.*');
    }
  });
});
