import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { chain, fails, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

interface Shown {
  readonly status: string;
  readonly failureFlow: { readonly taskId: string | null } | null;
}

let gateway: Gateway;
beforeEach(async () => {
  const report = { ...chain(['tell']), name: 'report' };
  gateway = await Gateway.open([
    { ...chain(['a']), failureFlow: 'report' },
    { ...chain(['a']), name: 'other', failureFlow: 'nowhere' },
    report,
  ]);
  await gateway.world.store.saveFlow(report, 'report', gateway.world.clock.now());
  gateway.world.commands.scripts.set('m.a', () => fails('no room'));
});
afterEach(() => gateway.close());

async function shownOf(taskId: string): Promise<Shown> {
  for (let n = 0; n < 20; n += 1) await settle();
  const shown = (await gateway.ask({ url: `/v1/tasks/${taskId}` })).json();
  expect(misfits('Task', shown)).toEqual([]);
  return shown as Shown;
}

it('a task shows the task that runs its failure flow, which shows whose it is', async () => {
  const taskId = await gateway.create({ flow: 'test-flow' });
  const failed = await shownOf(taskId);
  const reportId = failed.failureFlow?.taskId ?? '';
  expect(failed).toMatchObject({
    status: 'rolled_back',
    failureFlow: { name: 'report', taskId: reportId, message: null },
  });
  const children = (await gateway.ask({ url: `/v1/tasks?parent=${taskId}` })).json();
  expect(misfits('TaskPage', children)).toEqual([]);
  const parent = { taskId, step: null, index: 0 };
  expect(children).toMatchObject({ items: [{ taskId: reportId, status: 'succeeded', parent }] });
});

it('a task says why its failure flow could not be started', async () => {
  const failed = await shownOf(await gateway.create({ flow: 'other' }));
  const message = 'flow nowhere does not exist';
  expect(failed.failureFlow).toEqual({ name: 'nowhere', taskId: null, message });
});

it('a flow shows its failure flow', async () => {
  const flow = (await gateway.ask({ url: '/v1/flows/other' })).json();
  expect(flow).toMatchObject({ failureFlow: 'nowhere' });
  expect(misfits('Flow', flow)).toEqual([]);
});
