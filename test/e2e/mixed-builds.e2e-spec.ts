import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { planOlderLab } from '../faults/index.js';
import { untilAllEnded } from '../ledger/index.js';
import { Api, effectsOf } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { type AppProcess, Stack } from '../stack/index.js';
import { Trial, writeFlows, writeHosts } from '../trial/index.js';

const COUNT = 40;
const WITHIN_MS = 120_000;

jest.setTimeout(480_000);

const MIXED_FLOW = {
  'lab-mixed': [
    { name: 'known', normal: { module: 'lab', command: 'succeed' } },
    { name: 'new', normal: { module: 'lab', command: 'effect', parameters: { name: 'new' } } },
    { name: 'known-again', normal: { module: 'lab', command: 'succeed' } },
  ],
};

const servers = ['mongo', 'rabbitmq'] as const;

describeWith('two builds of a module side by side', { servers, own: true }, () => {
  const trial = new Trial('mixed-builds');
  let stack: Stack;
  let older: AppProcess;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = {
        resourceHosts: await writeHosts(folder),
        flows: await writeFlows(folder, MIXED_FLOW),
      };
      stack = trial.use(await Stack.start({ folder, settings }));
      older = await planOlderLab(stack, folder);
      trial.use({ stop: () => older.kill() });
      await older.start();
    }),
  );
  afterAll(() => trial.close());

  trial.it('gives what the older one does not know to the other, and fails nothing', async () => {
    const api = new Api(stack.url);
    const create = () => api.create('lab-mixed');
    const taskIds = await Promise.all(Array.from({ length: COUNT }, create));
    await untilAllEnded(api, { withinMs: WITHIN_MS });
    const effects = new Api(stack.effectsUrl);
    const starters = new Map<string, Set<boolean>>();
    for (const taskId of taskIds) {
      expect(await api.task(taskId)).toMatchObject({ status: 'succeeded' });
      expect(await effectsOf(effects, taskId)).toMatchObject([{ name: 'new', applied: 1 }]);
      for (const { actor, kind, step = '' } of await api.events(taskId)) {
        if (kind !== 'started') continue;
        const byOlder = actor === older.instance;
        starters.set(step, (starters.get(step) ?? new Set()).add(byOlder));
      }
    }
    expect(starters.get('known')).toContain(true);
    expect([...starters.get('new')!]).toEqual([false]);
  });
});
