import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StepPlan } from '#core';
import { chain, fails, settle } from '#testing';
import { Registry } from 'prom-client';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';
import { addWaitingMetrics } from './waiting-metrics.js';

const ask: StepPlan = {
  name: 'ask',
  needs: [],
  approve: { title: 'Go on?', roles: ['operator'], timeoutMs: null, onTimeout: 'fail' },
  rollback: null,
};
const ASKED = { step: 'ask', title: 'Go on?', roles: ['operator'], since: 1_800_000_000 };

interface Summary {
  readonly flow: string;
  readonly approvals: readonly object[];
}

let gateway: Gateway;
beforeEach(async () => {
  const held = { ...chain(['b']), name: 'held', onFailure: { holdMs: null } };
  const flows = [{ ...chain(['a']), name: 'quick' }, held];
  gateway = await Gateway.open([...flows, { ...chain([]), name: 'asks', steps: [ask] }]);
  gateway.world.commands.scripts.set('m.b', () => fails('no host'));
});
afterEach(() => gateway.close());

/** One task of each flow: one that ends, one that asks, one on hold. */
async function startAll(): Promise<Readonly<Record<string, string>>> {
  const ids: Record<string, string> = {};
  for (const flow of ['quick', 'asks', 'held']) ids[flow] = await gateway.create({ flow });
  await settle();
  return ids;
}

async function found(q: string): Promise<readonly Summary[]> {
  const answer = await gateway.ask({ url: `/v1/tasks?q=${encodeURIComponent(q)}` });
  return answer.json<{ items: readonly Summary[] }>().items;
}

describe('tasks that wait for a person', () => {
  it('are found by one search, with what they ask', async () => {
    await startAll();
    const items = await found('waits:person');
    expect(items.map(({ approvals, flow }) => [flow, approvals])).toEqual([
      ['held', []],
      ['asks', [ASKED]],
    ]);
    for (const item of items) expect(misfits('TaskSummary', item)).toEqual([]);
    expect(await found('waits:person flow:asks')).toHaveLength(1);
    expect(await found('waits:person status:succeeded')).toEqual([]);
  });

  it('are counted', async () => {
    await startAll();
    const answer = await gateway.ask({ url: '/v1/tasks:count?by=flow&q=waits:person' });
    expect(answer.json()).toMatchObject({ total: 2, counts: { held: 1, asks: 1 } });
  });

  it('are no longer found once they have their answer', async () => {
    const { asks } = await startAll();
    const body = { step: ASKED.step, comment: 'fine' };
    const headers = { 'x-backstep-actor': 'ann' };
    expect((await gateway.post(`/v1/tasks/${asks}:approve`, body, headers)).statusCode).toBe(200);
    await settle();
    expect((await found('waits:person')).map(({ flow }) => flow)).toEqual(['held']);
    const task = (await gateway.ask({ url: `/v1/tasks/${asks}` })).json<Summary>();
    expect(task.approvals).toEqual([]);
  });

  it('say in the whole task what they ask', async () => {
    const { asks } = await startAll();
    const task = (await gateway.ask({ url: `/v1/tasks/${asks}` })).json<Summary>();
    expect(task.approvals).toEqual([ASKED]);
    expect(misfits('Task', task)).toEqual([]);
  });

  it('are all there is to wait for', async () => {
    const answer = await gateway.ask({ url: '/v1/tasks?q=waits:signal' });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      errors: [{ pointer: '/q', hint: 'Write waits:person.' }],
    });
  });
});

describe('the metrics of tasks that wait for a person', () => {
  it('count them by flow and reason, and tell how long the oldest approval waits', async () => {
    await startAll();
    const { clock, store } = gateway.world;
    await gateway.create({ flow: 'asks' });
    await settle();
    await clock.advance(90_000);
    const registry = new Registry();
    addWaitingMetrics(registry, { clock, store });
    const text = await registry.metrics();
    expect(text).toContain('backstep_tasks_waiting{flow="asks",reason="approval"} 2\n');
    expect(text).toContain('backstep_tasks_waiting{flow="held",reason="on_hold"} 1\n');
    expect(text).not.toContain('flow="quick"');
    expect(text).toContain('backstep_approval_wait_seconds{flow="asks"} 90\n');
    expect(text).not.toContain('backstep_approval_wait_seconds{flow="held"}');
  });
});
