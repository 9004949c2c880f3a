import { describe, expect, it } from '@jest/globals';
import { type StepOf, NO_RETRY, type StepPlan, TASK_STATUS } from '#core';
import { runIdOf } from '#core/scopes';
import { action, chain, done, fails, flow, settle } from '#testing';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();

function group(steps: readonly StepPlan[], more: Partial<StepOf<'group'>> = {}): StepOf<'group'> {
  return { name: 'g', needs: [], group: steps, retry: NO_RETRY, timeoutMs: null, ...more };
}

const twice = { ...NO_RETRY, attempts: 2 };

describe('a group', () => {
  it('is run by the process that serves its commands, a commit for each', async () => {
    const w = await world();
    w.commands.scripts.set('m.b', () => done({ host: 'h' }));
    const last = { name: 'c', needs: [0], normal: action('m.c'), rollback: null };
    const task = await w.submit(flow([group(chain(['a', 'b']).steps), last]), { cpu: 1 });
    expect(task.status).toBe(TASK_STATUS.succeeded);
    expect(w.commands.calls).toEqual(['a:normal', 'b:normal', 'c:normal']);
    expect(w.commands.contexts[2]?.parameters).toEqual({ cpu: 1, g: { host: 'h' } });
    expect(task.revision).toBe(4);
  });

  it('that is tried again has other runs, keys and all, once the first try is undone', async () => {
    const w = await world();
    let failed = 0;
    w.commands.scripts.set('m.b', () => (failed++ === 0 ? fails() : done()));
    const task = await w.submit(flow([group(chain(['a', 'b']).steps, { retry: twice })]));
    expect(task.status).toBe(TASK_STATUS.succeeded);
    const calls = w.commands.contexts.map(({ direction, run }) => `${direction} ${run}`);
    expect(calls).toEqual([
      'normal g#1/a',
      'normal g#1/b',
      'rollback g#1/b',
      'rollback g#1/a',
      'normal g#2/a',
      'normal g#2/b',
    ]);
    const keys = w.commands.contexts.map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(6);
  });

  it('calls off what runs in it when it goes back, while the task goes on', async () => {
    const w = await world();
    let aborted = false;
    w.commands.scripts.set('m.long', (context) => {
      return new Promise((resolve) => {
        context.signal.addEventListener('abort', () => {
          aborted = true;
          resolve(fails());
        });
      });
    });
    w.commands.scripts.set('m.bad', () => fails());
    const steps = ['long', 'bad'].map((name) => {
      return { name, needs: [], normal: action(`m.${name}`), rollback: action('m.undo') };
    });
    const task = await w.submit(flow([group(steps)]));
    await settle();
    expect(aborted).toBe(true);
    const ended = await w.task(task.plan.taskId);
    expect(ended.status).toBe(TASK_STATUS.rolled_back);
    expect(ended.runs.map((_, place) => runIdOf(ended, place))).toEqual([
      'g',
      'g#1/long',
      'g#1/bad',
    ]);
  });
});
