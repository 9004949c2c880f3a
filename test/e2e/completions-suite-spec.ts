import { expect } from '@jest/globals';
import { untilTask } from '../ledger/index.js';
import type { Answer, TaskView } from '../load/index.js';
import type { FlowStage, FlowSuite } from './flow-stage-spec.js';

const effect = (name: string) => ({
  name,
  normal: { module: 'lab', command: 'effect', parameters: { name } },
  rollback: { module: 'lab', command: 'undo_effect', parameters: { name } },
});
const later = (timeout: string, more: object = {}) => {
  return { module: 'lab', command: 'later', parameters: { timeout }, ...more };
};

const FLOWS = {
  /** Another system completes it, forward and back; it can be undone. */
  ordered: {
    input: { properties: { isBad: { type: 'boolean' } } },
    constants: { isBad: false },
    steps: [
      effect('before'),
      { name: 'order', normal: later('10m', { retry: 1 }), rollback: later('10m') },
      effect('after'),
      { name: 'end', if: '{% isBad %}', fail: { code: 'TOLD', message: 'told to fail' } },
    ],
  },
  /** Nobody completes it. */
  forgotten: { steps: [effect('before'), { name: 'order', normal: later('1s') }] },
};

interface Expected {
  readonly step: string;
  readonly id: string;
  readonly direction: string;
  readonly token: string;
}

function tests(stage: FlowStage): void {
  /** The token of the half of the step that waits now. */
  async function tokenOf(taskId: string, half: 'normal' | 'rollback'): Promise<string> {
    await untilTask(stage.api, taskId, ({ steps }) => {
      const order = steps[1];
      return (half === 'normal' ? order?.state : order?.rollback?.state) === 'waiting';
    });
    const lab = stage.effectsApi;
    const page = `/modules/lab/completions?taskId=${taskId}`;
    const { items } = await lab.get<{ items: readonly Expected[] }>(page);
    return items.find(({ direction }) => direction === half)?.token ?? '';
  }

  function complete(taskId: string, body: object): Promise<Answer<TaskView>> {
    return stage.api.ask({ path: `/v1/tasks/${taskId}/steps/order:complete`, body });
  }

  stage.it('ends the step, once, and its rollback as well', async () => {
    const { taskId } = await stage.api.run('ordered', { isBad: true }, '0');
    const token = await tokenOf(taskId, 'normal');
    const output = { host: 'db-7' };
    expect(await complete(taskId, { token, output })).toMatchObject({ status: 200 });
    const again = await complete(taskId, { token, output });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const undo = await tokenOf(taskId, 'rollback');
    expect((await complete(taskId, { token, output: {} })).status).toBe(409);
    expect((await complete(taskId, { token: undo })).status).toBe(200);
    const task = await untilTask(stage.api, taskId);
    expect(task).toMatchObject({ status: 'rolled_back', steps: [{}, { output }, {}, {}] });
    expect(await stage.effects(taskId)).toEqual({ before: [1, 1], after: [1, 1] });
    const shown = JSON.stringify([task, await stage.api.events(taskId), await stage.api.list()]);
    expect(shown).not.toContain('bsc_');
  });

  stage.it('tries again after an error that may pass, with another token', async () => {
    const { taskId } = await stage.api.run('ordered', {}, '0');
    const first = await tokenOf(taskId, 'normal');
    const error = { code: 'BUSY', message: 'no room now', retryable: true };
    expect((await complete(taskId, { token: first, error })).status).toBe(200);
    await untilTask(stage.api, taskId, ({ steps }) => steps[1]?.attempts === 2);
    const second = await tokenOf(taskId, 'normal');
    expect(second).not.toBe(first);
    expect((await complete(taskId, { token: first, output: {} })).status).toBe(409);
    const wrong = { token: `${second.slice(0, -3)}AAA`, output: {} };
    expect((await complete(taskId, wrong)).status).toBe(403);
    expect((await complete(taskId, { token: second, output: {} })).status).toBe(200);
    expect((await untilTask(stage.api, taskId)).status).toBe('succeeded');
  });

  stage.it('times out when nobody completes it', async () => {
    const task = await stage.api.run('forgotten');
    expect(task).toMatchObject({
      status: 'rolled_back',
      steps: [{}, { state: 'timed_out' }],
      lastError: { step: 'order', code: 'TIMED_OUT' },
    });
  });

  stage.it('is taken after every process was killed and started again', async () => {
    const { taskId } = await stage.api.run('ordered', {}, '0');
    const token = await tokenOf(taskId, 'normal');
    await stage.restartAll();
    expect((await complete(taskId, { token, output: {} })).status).toBe(200);
    expect((await untilTask(stage.api, taskId)).status).toBe('succeeded');
    expect(await stage.effects(taskId)).toEqual({ before: [1, 0], after: [1, 0] });
  });
}

/** Completion from outside. */
export const COMPLETIONS: FlowSuite = { name: 'completion from outside', flows: FLOWS, tests };
