import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { untilAllEnded } from '../ledger/index.js';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { Stack } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

/** Of one lease alone: a command that ends its process four times would take four. */
const LEASE = '5m';
const WITHIN_MS = 240_000;
const COUNT = 3;

jest.setTimeout(480_000);

const FLOWS = {
  'lab-crash-loop': [
    {
      name: 'made',
      normal: { module: 'lab', command: 'effect', parameters: { name: 'made' } },
      rollback: { module: 'lab', command: 'undo_effect', parameters: { name: 'made' } },
    },
    { name: 'crash', normal: { module: 'lab', command: 'crash' }, rollback: null },
  ],
};

const servers = ['mongo', 'rabbitmq'] as const;

describeWith('executors that a supervisor starts again at once', { servers, own: true }, () => {
  const trial = new Trial('quick-takeover');
  let stack: Stack;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = { flows: await writeFlows(folder, FLOWS), lease: LEASE };
      stack = trial.use(await Stack.start({ folder, settings, executors: { lab: 2 } }));
      for (const executor of stack.executors.lab) {
        executor.onUnexpectedExit = () => executor.launch();
      }
    }),
  );
  afterAll(() => trial.close());

  trial.it('wait for no lease, however often a command ends its process', async () => {
    const api = new Api(stack.url);
    const started = Array.from({ length: COUNT }, () => api.create('lab-crash-loop'));
    const taskIds = await Promise.all(started);
    await untilAllEnded(api, { withinMs: WITHIN_MS });
    for (const taskId of taskIds) {
      // Of whichever step: a command that ends its process takes those beside it along.
      expect(await api.task(taskId)).toMatchObject({
        status: 'rolled_back',
        lastError: { code: 'LEASE_LOST' },
      });
    }
    for (const executor of stack.executors.lab) executor.onUnexpectedExit = () => {};
  });
});
