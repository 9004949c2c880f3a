import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { Api, ChangeReader } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { type Deployment, Stack, startDeployment } from '../stack/index.js';
import { Trial } from '../trial/index.js';

jest.setTimeout(300_000);

/** Starts tasks and tells their ids. */
async function startTasks(url: string, count: number): Promise<readonly string[]> {
  const tasks = Array.from({ length: count }, () => ({ flow: 'lab-succeed' }));
  const { body } = await new Api(url).ask({
    method: 'POST',
    path: '/v1/tasks:batch',
    body: { tasks },
  });
  const { results } = body as { results: readonly { taskId: string }[] };
  return results.map(({ taskId }) => taskId);
}

/** Resolves once the reader knows that each of these has succeeded. */
async function untilTold(reader: ChangeReader, ids: readonly string[]): Promise<void> {
  const look = async (): Promise<void> => {
    const left = ids.filter((id) => reader.tasks.get(id)?.status !== 'succeeded');
    if (left.length > 0) throw new Error(`${left.length} of ${ids.length} were not told`);
  };
  await waitUntil(look, { what: 'not every end was told', deadlineMs: 60_000 });
}

describeWith('changes with two gateways', { servers: ['mongo', 'rabbitmq'], own: true }, () => {
  const trial = new Trial('events-distributed');
  let stack: Stack;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const executors = { resource: 0, mysql: 0, monitor: 0, lab: 2 };
      stack = trial.use(await Stack.start({ folder, gateways: 2, executors }));
    }),
  );
  afterAll(() => trial.close());

  trial.it('every end is told, whichever gateway is killed while somebody listens', async () => {
    const [one, two] = stack.gateways as [(typeof stack.gateways)[0], (typeof stack.gateways)[0]];
    const reader = new ChangeReader();
    await reader.connect(one.url);
    const all = [...(await startTasks(two.url, 40))];
    await untilTold(reader, all);
    for (let round = 0; round < 2; round += 1) {
      const [victim, other] = round % 2 === 0 ? [one, two] : [two, one];
      all.push(...(await startTasks(victim.url, 20)));
      await victim.kill();
      all.push(...(await startTasks(other.url, 20)));
      await reader.connect(other.url);
      all.push(...(await startTasks(other.url, 20)));
      await untilTold(reader, all);
      await victim.start();
    }
    reader.leave();
    expect(new Set(all).size).toBe(160);
  });
});

describe('standalone', () => {
  const trial = new Trial('events-standalone');
  let backstep: Deployment;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      backstep = trial.use(await startDeployment('standalone', { folder: trial.folder }));
    }),
  );
  afterAll(() => trial.close());

  trial.it('every end is told, though the process is killed while somebody listens', async () => {
    const reader = new ChangeReader();
    await reader.connect(backstep.url);
    const all: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      all.push(...(await startTasks(backstep.url, 100)));
      await backstep.processes[0]?.restart();
      all.push(...(await startTasks(backstep.url, 20)));
      await reader.connect(backstep.url);
      await untilTold(reader, all);
    }
    reader.leave();
    expect(new Set(all).size).toBe(240);
  });
});
