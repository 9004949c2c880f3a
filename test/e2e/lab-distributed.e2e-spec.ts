import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { Api, PRACTICE_FLOWS, type TaskView } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { Stack } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

jest.setTimeout(480_000);

const FLOW = 'lab-two-modules';
const event = { module: 'monitor', command: 'report_event', parameters: { kind: 'x' } };
const effect = (command: string) => ({ module: 'lab', command, parameters: { name: 'a' } });
const steps = [
  { name: 'a', normal: effect('effect'), rollback: effect('undo_effect') },
  { name: 'b', normal: event, rollback: null },
  { name: 'c', normal: { module: 'lab', command: 'succeed' }, rollback: null },
];

describeWith(
  'the switches of the lab in a distributed set',
  { servers: ['mongo', 'rabbitmq'] },
  () => {
    const trial = new Trial('lab-distributed');
    let api: Api;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        const flows = await writeFlows(folder, { ...PRACTICE_FLOWS, [FLOW]: { steps } });
        const settings = { flows, ...WAITS.outlastFaults };
        const stack = trial.use(await Stack.start({ folder, settings, executors: { lab: 2 } }));
        api = new Api(stack.url);
      }),
    );
    afterAll(() => trial.close());

    const path = (step: string) => `/modules/lab/faults/${FLOW}/${step}`;
    const on = (step: string, kind: string) =>
      api.ask({ method: 'PUT', path: path(step), body: { kind } });
    const run = async (): Promise<TaskView> =>
      (await api.ask<TaskView>({ path: '/v1/tasks?wait=60s', body: { flow: FLOW } })).body;

    trial.it('are told of by the gateway', async () => {
      expect(await api.get('/v1/executors')).toMatchObject({ faultSwitches: true });
      expect((await run()).status).toBe('succeeded');
    });

    trial.it('strike in another process, once', async () => {
      expect(await on('b', 'fail_once')).toMatchObject({ status: 200 });
      const struck = await run();
      expect(struck.status).toBe('rolled_back');
      expect(struck.steps[1]).toMatchObject({
        message: 'made to fail once by a switch of the lab',
      });
      expect(await api.get('/modules/lab/faults')).toEqual({ items: [] });
      expect((await run()).status).toBe('succeeded');
    });

    trial.it('stay until they are taken back', async () => {
      await on('c', 'fail_always');
      const struck = await Promise.all([run(), run(), run(), run()]);
      expect(struck.map(({ status }) => status)).toEqual(struck.map(() => 'rolled_back'));
      expect(await api.ask({ method: 'DELETE', path: path('c') })).toMatchObject({ status: 204 });
      expect((await run()).status).toBe('succeeded');
    });

    trial.it('have one executor lose its work, which is done again', async () => {
      await on('b', 'crash');
      const { status, taskId } = await run();
      expect(status).toBe('succeeded');
      const events = await api.events(taskId);
      const lost = events.filter(({ kind, step }) => kind === 'lease_lost' && step === 'b');
      expect(lost).toHaveLength(1);
    });
  },
);
