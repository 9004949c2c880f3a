import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { faultsAfter } from '../ledger/index.js';
import { Api, type Order, possibleInstance } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { Stack } from '../stack/index.js';
import { type Blow, endure } from '../storm/index.js';
import { Trial, WAITS, writeHosts } from '../trial/index.js';

const PER_SECOND = 10;
/** A backlog on a machine on which much else happens says nothing about the servers. */
const LIVE_MAX = 40;
const WITHIN_MS = 120_000;
const ALARM = 'degraded: The broker takes no messages now';

jest.setTimeout(600_000);

const servers = ['mongo', 'rabbitmq'] as const;

describeWith('the distributed set whose servers fail', { servers, own: true }, () => {
  const trial = new Trial('servers-down');
  const all: Order[] = [];
  let stack: Stack;
  let api: Api;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = {
        rebuildQueues: 'on',
        resourceHosts: await writeHosts(folder),
        ...WAITS.outlastOutages,
      };
      stack = trial.use(await Stack.start({ folder, settings }));
      api = new Api(stack.url);
    }),
  );
  afterAll(() => trial.close());

  /** Deals the blows under load; every task has to succeed, and to be all there is. */
  async function survive(name: string, blows: readonly Blow[]): Promise<void> {
    const { data, hostsUrl, url } = stack;
    const plan = {
      perSecond: PER_SECOND,
      liveMax: LIVE_MAX,
      next: possibleInstance,
      withinMs: WITHIN_MS,
    };
    const { orders, tasks } = await endure(trial, { ...plan, name, blows, url });
    all.push(...orders);
    expect(await faultsAfter(all, { url, hostsUrl, data })).toEqual([]);
    expect(tasks.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  }

  trial.it('ends every task when the broker is killed, or loses all it had', async () => {
    const { rabbitmq } = stack.servers;
    await survive('broker', [
      { name: 'RabbitMQ killed and started again', strike: () => rabbitmq.restart() },
      { name: 'RabbitMQ emptied and started again', strike: () => rabbitmq.wipe() },
    ]);
  });

  trial.it('ends every task when the store is killed, or stands still', async () => {
    const { mongo } = stack.servers;
    const pause = async (): Promise<void> => {
      await mongo.pause();
      await untilRefused();
      await mongo.resume();
    };
    await survive('store', [
      { name: 'MongoDB killed and started again', strike: () => mongo.restart() },
      { name: 'MongoDB paused until the gateway said so', strike: pause },
    ]);
  });

  trial.it('is ready during an alarm of the broker, takes tasks, and says what waits', async () => {
    const { rabbitmq } = stack.servers;
    const limit = 'set_vm_memory_high_watermark';
    await rabbitmq.ctl(limit, '0');
    const taskId = await api.create('lab-succeed');
    const notes = { status: 200, body: { notes: [expect.stringContaining(ALARM)] } };
    await untilReadiness(api, notes, 'the alarm is not in the notes');
    await rabbitmq.ctl(limit, '0.4');
    await untilReadiness(
      api,
      { status: 200, body: { notes: [] } },
      'the alarm is in the notes still',
    );
    const isDone = async () =>
      expect(await api.task(taskId)).toMatchObject({ status: 'succeeded' });
    await waitUntil(isDone, { what: 'the task does not go on', deadlineMs: WITHIN_MS });
  });

  /** Until the gateway says that its store does not answer. */
  async function untilRefused(): Promise<void> {
    const ask = { path: '/v1/tasks?limit=1', withinMs: WITHIN_MS };
    for (let answer = await api.ask(ask); answer.status !== 503; answer = await api.ask(ask)) {
      // The question itself takes as long as the gateway is patient.
    }
  }
});

/** Until `/readyz` answers like that. */
async function untilReadiness(api: Api, wanted: object, what: string): Promise<void> {
  const probe = async () => expect(await api.ask({ path: '/readyz' })).toMatchObject(wanted);
  await waitUntil(probe, { what, deadlineMs: WITHIN_MS });
}
