import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FlowDefinition, StepPlan } from '#core';
import { action, chain, fails, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

interface Listed {
  readonly instance: string;
}

let gateway: Gateway;

const chained = chain(['a', 'b']);
const last: StepPlan = { name: 'c', needs: [1], normal: action('m.c'), rollback: null };
const [a, b] = chained.steps;
const pivoted = [{ ...a!, pivot: true } as StepPlan, b!, chain(['a', 'b', 'c']).steps[2]!];
const THREE: FlowDefinition = { ...chained, name: 'three', steps: [...chained.steps, last] };
const PIVOTED: FlowDefinition = { ...chain(['a', 'b', 'c']), name: 'pivoted', steps: pivoted };

beforeEach(async () => {
  gateway = await Gateway.open([THREE, PIVOTED]);
});

afterEach(() => gateway.close());

async function planOf(flow: string): Promise<unknown> {
  const taskId = await gateway.create({ flow });
  await settle();
  return planFor(taskId);
}

async function planFor(taskId: string): Promise<unknown> {
  return (await gateway.ask({ url: `/v1/tasks/${taskId}/rollback-plan` })).json();
}

describe('GET /v1/tasks/{taskId}/rollback-plan', () => {
  it('lists the undos last first, with what they are called with and who serves them', async () => {
    expect(await planOf('three')).toMatchObject({
      items: [
        { step: 'b', id: 'b', module: 'm', command: 'undo_b', parameters: {} },
        { step: 'a', id: 'a', module: 'm', command: 'undo_a', parameters: {} },
      ],
      pivot: null,
      leftOver: [{ step: 'c', id: 'c' }],
      obstacle: null,
      isCut: false,
    });
  });

  it('goes down to the first step behind a point of no return, and does as it says', async () => {
    gateway.world.commands.scripts.set('m.c', () => fails());
    const taskId = await gateway.create({ flow: 'pivoted' });
    await settle();
    const back = (to?: string) => {
      return gateway.post(`/v1/tasks/${taskId}:rollback`, { reason: 'why', to });
    };
    const plan = await planFor(taskId);
    expect(plan).toMatchObject({ items: [{ step: 'c' }, { step: 'b' }], pivot: 'a', to: 'b' });
    expect(plan).toHaveProperty('obstacle', expect.stringContaining('point of no return'));
    for (const refused of [await back(), await back('a')]) {
      expect(refused.statusCode).toBe(409);
      expect(refused.json()).toMatchObject({
        code: 'ILLEGAL_ACTION',
        detail: expect.stringContaining('go back to step b instead'),
        errors: [{ pointer: '/to', hint: 'Write "to": "b".' }],
      });
    }
    gateway.world.commands.calls.length = 0;
    expect((await back('b')).statusCode).toBe(200);
    await settle();
    expect(gateway.world.commands.calls).toEqual(['c:rollback', 'b:rollback']);
    expect(await planFor(taskId)).toMatchObject({ items: [], to: 'b' });
  });

  it('says where nothing goes back, as there is nothing behind the point of no return', async () => {
    const taskId = await gateway.create({ flow: 'pivoted' });
    await settle();
    const plan = await planFor(taskId);
    expect(plan).toMatchObject({ items: [], pivot: 'a', to: null });
    expect(plan).toHaveProperty('obstacle', expect.stringMatching(/point of no return$/));
  });
});

describe('GET /v1/executors', () => {
  it('lists who is there, by module', async () => {
    await gateway.world.engine.directory.tick();
    const { items } = (await gateway.ask({ url: '/v1/executors' })).json() as { items: object[] };
    const lastSeen: unknown = expect.stringMatching(/Z$/);
    expect(items[0]).toMatchObject({ module: 'm', lastSeen, build: null, silentSince: null });
    const { store } = gateway.world;
    const [own] = await store.listExecutors(0, 'm');
    await store.announce({ ...own!, build: 'rent@1.4.2' });
    const [told] = ((await gateway.ask({ url: '/v1/executors' })).json() as { items: object[] })
      .items;
    expect(told).toMatchObject({ version: own!.version, build: 'rent@1.4.2' });
  });

  it('says who owes a sign of life, and leaves out whose session is over', async () => {
    const { clock, engine, store } = gateway.world;
    await engine.directory.tick();
    const [own] = await store.listExecutors(0, 'm');
    await store.openSession('other', 10_000);
    const list = async () => {
      await store.announce({ ...own!, instance: 'other', seenAt: clock.now() });
      const { items } = (await gateway.ask({ url: '/v1/executors' })).json() as { items: Listed[] };
      return items.find(({ instance }) => instance === 'other');
    };
    expect(await list()).toMatchObject({ silentSince: null });
    await clock.advance(8_000);
    expect(await list()).toMatchObject({ silentSince: expect.stringMatching(/Z$/) });
    await clock.advance(8_000);
    expect(await list()).toBeUndefined();
  });
});
