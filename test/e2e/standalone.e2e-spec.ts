import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { allocationsOf, isAt, untilTask } from '../ledger/index.js';
import {
  Api,
  effectsOf,
  FAILING_FLOW,
  FAILS_LAST,
  PRACTICE_FLOWS,
  readStream,
} from '../load/index.js';
import type { TaskView } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

const SIZE = { cpu: 2, memory: 8, storage: 100 };

jest.setTimeout(240_000);

describe('a standalone process', () => {
  const trial = new Trial('standalone');
  let backstep: AppProcess;
  let api: Api;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const flows = await writeFlows(trial.folder, { ...FAILING_FLOW, ...PRACTICE_FLOWS });
      backstep = await planStandalone({ folder: trial.folder, settings: { flows, lease: '10s' } });
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
      api = new Api(backstep.url);
    }),
  );
  afterAll(() => trial.close());

  const instances = () => readdir(path.join(trial.folder, 'data', 'instances'));

  trial.it('makes a database instance, charges for it and tells where it is', async () => {
    const task = await api.run('create-db-instance', SIZE);
    expect(task).toMatchObject({ taskStatus: 0, status: 'succeeded' });
    const instance = task.steps[1]?.output?.['instance'];
    expect(await instances()).toContain(instance);
    expect(await allocationsOf(api, task.taskId)).toMatchObject([{ ...SIZE, instance }]);
  });

  trial.it('undoes all of it, last first, when the last step fails', async () => {
    const before = await instances();
    const task = await api.run(FAILS_LAST, SIZE);
    expect(task).toMatchObject({ taskStatus: 4, status: 'rolled_back', taskCursor: 3 });
    const undone = (await api.events(task.taskId))
      .filter(({ direction, kind }) => direction === 'rollback' && kind === 'succeeded')
      .map(({ step }) => step);
    expect(undone).toEqual(['deduct_resource', 'init_instance', 'check_resource']);
    expect(await instances()).toEqual(before);
    expect(await allocationsOf(api, task.taskId)).toEqual([]);
  });

  trial.it('does not even begin with an instance that fits nowhere', async () => {
    const task = await api.run('create-db-instance', { ...SIZE, cpu: 5_000 });
    expect(task.status).toBe('rolled_back');
    expect(task.steps[0]?.message).toContain('no host has room');
    expect(task.steps[1]?.attempts).toBe(0);
  });

  trial.it('rolls a task back when a person asks for it', async () => {
    const taskId = await api.create('lab-long');
    await untilTask(api, taskId, isAt('sleep'));
    const { body, status } = await api.act(taskId, 'rollback', { reason: 'a mistake' });
    expect(status).toBe(200);
    expect(body.status).toBe('rolling_back');
    expect((await untilTask(api, taskId)).status).toBe('rolled_back');
    expect(await effectsOf(api, taskId)).toMatchObject([{ applied: 1, undone: 1 }]);
    const wish = (await api.events(taskId)).find(({ kind }) => kind === 'rollback_requested');
    expect(wish).toMatchObject({ message: 'a mistake', actor: expect.any(String) });
  });

  trial.it('terminates a task when a person asks for it, and undoes nothing', async () => {
    const taskId = await api.create('lab-long');
    await untilTask(api, taskId, isAt('sleep'));
    const { body } = await api.act(taskId, 'terminate', { reason: 'enough' });
    expect(body).toMatchObject({ taskStatus: 6, status: 'terminated' });
    expect(await effectsOf(api, taskId)).toMatchObject([{ applied: 1, undone: 0 }]);
    const again = await api.act(taskId, 'rollback', { reason: 'too late' });
    expect(again).toMatchObject({ status: 409, body: { code: 'ILLEGAL_ACTION' } });
  });

  trial.it('goes on with the way back when a person has it retried', async () => {
    const stuck = await api.run('lab-stuck-once');
    expect(stuck).toMatchObject({ taskStatus: 5, status: 'rollback_failed' });
    await api.act(stuck.taskId, 'retry', { reason: 'mended' });
    expect((await untilTask(api, stuck.taskId)).status).toBe('rolled_back');
    expect(await effectsOf(api, stuck.taskId)).toMatchObject([{ applied: 1, undone: 1 }]);
  });

  trial.it('goes on with the way back when a person has undone a step by hand', async () => {
    const { taskId } = await api.run('lab-stuck');
    const { body } = await api.act(taskId, 'skip', { step: 'stuck', reason: 'by hand' });
    expect(body.steps[1]?.rollback?.state).toBe('skipped');
    expect((await untilTask(api, taskId)).status).toBe('rolled_back');
    expect(await effectsOf(api, taskId)).toMatchObject([{ applied: 1, undone: 1 }]);
  });

  trial.it('makes one task of a request that is repeated with its key', async () => {
    const body = { flow: 'lab-succeed', parameters: { a: 1 } };
    const headers = { 'idempotency-key': `key-${trial.seed}` };
    const ask = { path: '/v1/tasks', body, headers };
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.ask<TaskView>(ask)));
    expect(new Set(answers.map(({ body: { taskId } }) => taskId)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    const other = await api.ask({ ...ask, body: { ...body, parameters: { a: 2 } } });
    expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  trial.it('sends every event once to a client whose stream breaks in between', async () => {
    const taskId = await api.create('lab-second');
    const { url } = api;
    const first = await readStream({ url, taskId, count: 2 });
    expect(first.ended).toBe(false);
    const lastEventId = first.events.at(-1)!.id;
    const rest = await readStream({ url, taskId, lastEventId });
    expect(rest.ended).toBe(true);
    const seen = [...first.events, ...rest.events].map(({ id }) => Number(id));
    const all = await api.events(taskId);
    expect(seen).toEqual(all.map(({ seq }) => seq));
    expect(rest.events.at(-1)).toMatchObject({ event: 'task_succeeded' });
  });

  trial.it('refuses a second process on its file', async () => {
    const second = await planStandalone({ folder: trial.folder, name: 'second' });
    trial.use({ stop: () => second.kill() });
    await expect(second.start()).rejects.toThrow(/is in use/);
    expect(second.lastExit).toEqual({ code: 1, signal: null });
    expect((await api.run('lab-succeed')).status).toBe('succeeded');
  });

  trial.it(
    'finishes what runs before it ends, and has everything again when it is back',
    async () => {
      const taskId = await api.create('lab-second');
      await untilTask(api, taskId, isAt('sleep'));
      const tasks = await api.list();
      expect(await backstep.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      await backstep.start();
      expect(await untilTask(api, taskId)).toMatchObject({
        status: 'succeeded',
        steps: [{ name: 'sleep', attempts: 1 }, { name: 'after' }],
      });
      const others = (all: readonly TaskView[]) => all.filter((task) => task.taskId !== taskId);
      expect(others(await api.list())).toEqual(others(tasks));
    },
  );
});
