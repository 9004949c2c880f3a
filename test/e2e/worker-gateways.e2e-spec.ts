import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { Api, Worker } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { Stack } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

const FLOWS = {
  'two-gateways': {
    steps: [{ name: 'make', normal: { module: 'far', command: 'make', timeout: 300 } }],
  },
};

const servers = ['mongo', 'rabbitmq'] as const;

describeWith('two gateways', { servers, own: true }, () => {
  const trial = new Trial('worker-gateways');
  let apis: readonly Api[] = [];

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = { flows: await writeFlows(folder, FLOWS) };
      const executors = { lab: 0, resource: 0, mysql: 0, monitor: 0, http: 0 };
      const stack = trial.use(await Stack.start({ folder, settings, executors, gateways: 2 }));
      apis = stack.gateways.map(({ url }) => new Api(url));
    }),
  );
  afterAll(() => trial.close());

  trial.it('take the outcome of an item that the other one handed out', async () => {
    const [one, two] = apis as [Api, Api];
    const worker = await Worker.register(one, 'far');
    const taskId = await two.create('two-gateways');
    const pollId = crypto.randomUUID();
    const [item] = await worker.poll({ pollId });
    const there = new Worker(two, 'far');
    expect(await there.report(item, 'heartbeat')).toMatchObject({ state: 'held' });
    const { body } = await two.ask<{ items: readonly object[] }>({
      path: '/v1/work:poll',
      body: { worker: worker.name, module: 'far', wait: '0', pollId },
    });
    expect(body.items).toMatchObject([{ taskId, attempt: 1 }]);
    expect(await there.report(item, 'complete', { output: { id: 7 } })).toMatchObject({
      status: 'succeeded',
    });
    const again = await worker.send(item, 'complete', { output: { id: 7 } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await one.task(taskId)).toMatchObject({ steps: [{ output: { id: 7 }, attempts: 1 }] });
  });

  trial.it('wake a poll of one for a task that the other one has taken', async () => {
    const [one, two] = apis as [Api, Api];
    const worker = await Worker.register(one, 'far');
    const waiting = worker.poll();
    const taskId = await two.create('two-gateways');
    const [item] = await waiting;
    expect(item).toMatchObject({ taskId });
    await worker.report(item, 'complete');
  });
});
