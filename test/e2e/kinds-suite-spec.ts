import { expect } from '@jest/globals';
import { untilTask } from '../ledger/index.js';
import type { FlowStage, FlowSuite } from './flow-stage-spec.js';

const effect = (name: string) => ({
  name,
  normal: { module: 'lab', command: 'effect', parameters: { name } },
  rollback: { module: 'lab', command: 'undo_effect', parameters: { name } },
});

const failure = { module: 'lab', command: 'fail', parameters: { kind: 'terminal' } };

const FLOWS = {
  /** Something of every kind; what `isBad` says decides how it ends. */
  everything: {
    input: {
      required: ['hosts'],
      properties: { hosts: { type: 'array' }, isBad: { type: 'boolean' } },
    },
    constants: { isBad: false, done: 0 },
    output: { hosts: '{% $count(hosts) %}', rounds: '{% $steps.each.rounds %}' },
    steps: [
      { name: 'count', set: { hostCount: '{% $count(hosts) %}' } },
      {
        name: 'pick',
        choice: [{ name: 'many', when: '{% hostCount > 1 %}', steps: [effect('many')] }],
        otherwise: [effect('one')],
      },
      {
        name: 'each',
        loop: {
          max: 9,
          until: '{% done >= hostCount %}',
          steps: [{ name: 'tally', set: { done: '{% done + 1 %}' } }, effect('visit')],
        },
      },
      { name: 'both', parallel: { left: [effect('make')], right: [effect('make')] } },
      {
        name: 'risky',
        normal: failure,
        catch: [{ errors: ['FAILED'], as: 'error', steps: [effect('plan-b')] }],
      },
      { name: 'nice', normal: failure, optional: true },
      { name: 'never', if: '{% $state("nice") = "succeeded" %}', normal: failure },
      { name: 'end', if: '{% isBad %}', fail: { code: 'TOLD', message: 'told to fail' } },
    ],
  },
  /** Waits for a person and for a signal, and can be undone after both. */
  asking: {
    input: { properties: {} },
    steps: [
      effect('before'),
      { name: 'sure', approve: { title: 'Go on?' } },
      { name: 'news', wait: { signal: 'news' } },
      { ...effect('after'), if: '{% $steps.news.isGood %}' },
    ],
  },
};

const MADE = {
  'pick#many/many': [1, 0],
  'each#1/visit': [1, 0],
  'each#2/visit': [1, 0],
  'both#left/make': [1, 0],
  'both#right/make': [1, 0],
  'risky#catch/plan-b': [1, 0],
};
const UNDONE = Object.fromEntries(Object.keys(MADE).map((id) => [id, [1, 1]]));

function tests(stage: FlowStage): void {
  stage.it('run forward, and are undone by a person afterwards', async () => {
    const task = await stage.api.run('everything', { hosts: ['a', 'b'] });
    expect(task).toMatchObject({ status: 'succeeded', output: { hosts: 2, rounds: 2 } });
    const states = Object.fromEntries(task.steps.map(({ name, state }) => [name, state]));
    expect(states).toEqual({
      count: 'succeeded',
      pick: 'succeeded',
      each: 'succeeded',
      both: 'succeeded',
      risky: 'succeeded',
      nice: 'skipped',
      never: 'skipped',
      end: 'skipped',
    });
    expect(await stage.effects(task.taskId)).toEqual(MADE);
    const plan = await stage.api.get<{ items: { id: string; served: boolean }[] }>(
      `/v1/tasks/${task.taskId}/rollback-plan`,
    );
    expect(plan.items.map(({ id }) => id).toSorted()).toEqual(Object.keys(MADE).toSorted());
    expect(plan.items.every(({ served }) => served)).toBe(true);
    await stage.api.act(task.taskId, 'undo', { reason: 'not needed' });
    expect((await untilTask(stage.api, task.taskId)).status).toBe('rolled_back');
    expect(await stage.effects(task.taskId)).toEqual(UNDONE);
  });

  stage.it('go back by themselves when the last of them fails', async () => {
    const task = await stage.api.run('everything', { hosts: ['a', 'b'], isBad: true });
    expect(task).toMatchObject({
      status: 'rolled_back',
      lastError: { step: 'end', code: 'TOLD', message: 'told to fail' },
    });
    expect(await stage.effects(task.taskId)).toEqual(UNDONE);
  });

  stage.it('wait for a person and for news, also early ones, once for each key', async () => {
    const { taskId } = await stage.api.run('asking', {}, '0');
    const news = { name: 'news', payload: { isGood: true }, key: 'n1' };
    await stage.api.act(taskId, 'signal', news);
    expect((await stage.api.act(taskId, 'signal', news)).headers.get('idempotent-replayed')).toBe(
      'true',
    );
    await untilTask(stage.api, taskId, ({ steps }) => steps[1]?.state === 'waiting');
    const why = await stage.api.get<{ moving: boolean; causes: { code: string }[] }>(
      `/v1/tasks/${taskId}/why`,
    );
    expect(why).toMatchObject({ moving: false, causes: [{ code: 'WAITS_FOR_APPROVAL' }] });
    const q = encodeURIComponent('flow:ask* status:live');
    const counted = await stage.api.get<object>(`/v1/tasks:count?by=flow&q=${q}`);
    expect(counted).toMatchObject({ total: 1, counts: { asking: 1 }, isComplete: true });
    const yes = await stage.api.act(taskId, 'approve', { step: 'sure', comment: 'yes' });
    expect(yes.status).toBe(200);
    expect((await untilTask(stage.api, taskId)).status).toBe('succeeded');
    expect(await stage.effects(taskId)).toEqual({ before: [1, 0], after: [1, 0] });
  });

  stage.it('go back when a person says no', async () => {
    const { taskId } = await stage.api.run('asking', {}, '0');
    await untilTask(stage.api, taskId, ({ steps }) => steps[1]?.state === 'waiting');
    await stage.api.act(taskId, 'reject', { step: 'sure', comment: 'not today' });
    const task = await untilTask(stage.api, taskId);
    expect(task).toMatchObject({ status: 'rolled_back', lastError: { code: 'REJECTED' } });
    expect(await stage.effects(taskId)).toEqual({ before: [1, 1] });
  });
}

/** Steps of every kind. */
export const KINDS: FlowSuite = { name: 'steps of every kind', flows: FLOWS, tests };
