import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { untilTask } from '../ledger/index.js';
import { Api, effectsOf, PRACTICE_FLOWS } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

describe('groups in a standalone process', () => {
  const trial = new Trial('groups');
  let backstep: AppProcess;
  let api: Api;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const flows = await writeFlows(trial.folder, PRACTICE_FLOWS);
      backstep = await planStandalone({ folder: trial.folder, settings: { flows } });
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
      api = new Api(backstep.url);
    }),
  );
  afterAll(() => trial.close());

  /** How often each run really had its effect, and how often that was undone. */
  async function effects(taskId: string): Promise<Record<string, readonly number[]>> {
    const found = await effectsOf(api, taskId);
    return Object.fromEntries(found.map(({ applied, id, undone }) => [id, [applied, undone]]));
  }

  trial.it('undo a try that failed, and try again, while the rest stays', async () => {
    const task = await api.run('lab-group');
    expect(task).toMatchObject({
      status: 'succeeded',
      steps: [
        { id: 'prepare' },
        { id: 'site', kind: 'group', attempts: 2, scopes: [{ name: '2', way: 'forward' }] },
        { id: 'announce' },
      ],
    });
    expect(await effects(task.taskId)).toEqual({
      prepare: [1, 0],
      'site#1/reserve': [1, 1],
      'site#1/install': [1, 1],
      'site#2/reserve': [1, 0],
      'site#2/install': [1, 0],
    });
  });

  trial.it('in each other go back as a whole once all tries have failed', async () => {
    const task = await api.run('lab-group-fails');
    expect(task.status).toBe('rolled_back');
    expect(await effects(task.taskId)).toEqual({
      before: [1, 1],
      'outer#1/kept': [1, 1],
      'outer#1/inner#1/tried': [1, 1],
      'outer#1/inner#2/tried': [1, 1],
      'outer#2/kept': [1, 1],
      'outer#2/inner#1/tried': [1, 1],
      'outer#2/inner#2/tried': [1, 1],
    });
  });

  trial.it('that succeeded are undone, last step first, by what fails after them', async () => {
    const task = await api.run('lab-group-undone');
    expect(task).toMatchObject({
      status: 'rolled_back',
      steps: [{ state: 'succeeded', scopes: [{ way: 'back' }] }, { state: 'failed' }],
    });
    expect(await effects(task.taskId)).toEqual({
      'both#1/effect': [1, 1],
      'both#1/effect-2': [1, 1],
    });
    const undone = (await api.events(task.taskId)).filter(({ direction, kind, run }) => {
      return direction === 'rollback' && kind === 'succeeded' && run !== undefined;
    });
    expect(undone.map(({ run }) => run)).toEqual(['both#1/effect-2', 'both#1/effect']);
  });

  trial.it('wait for a person where a rollback in them fails, and go on by its id', async () => {
    const { status, taskId } = await api.run('lab-group-stuck');
    expect(status).toBe('rollback_failed');
    const reset = await api.act(taskId, 'reset', { to: 'g#1/stuck', reason: 'try' });
    expect(reset).toMatchObject({ status: 409, body: { code: 'ILLEGAL_ACTION' } });
    await api.act(taskId, 'skip', { step: 'g#1/stuck', reason: 'by hand' });
    expect((await untilTask(api, taskId)).status).toBe('succeeded');
  });
});
