import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FlowDefinition } from '#core';
import { chain, fails, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';
import type { WholeOperation } from '../operations/operation.presenter.js';

const REPORT: FlowDefinition = { ...chain(['tell']), name: 'report', maxLive: 1 };
const PARENT: FlowDefinition = {
  ...chain(['b']),
  name: 'parent',
  steps: [
    {
      name: 'all',
      needs: [],
      foreach: {
        in: [1, 2, 3, 4],
        as: 'n',
        concurrency: 4,
        successPercent: 100,
        steps: null,
        flow: 'test-flow',
        parameters: null,
      },
    },
  ],
};

let gateway: Gateway;
let release: () => void;
beforeEach(async () => {
  const bounded = { ...chain(['a']), maxLive: 2 };
  const failing = { ...chain(['bad']), name: 'failing', failureFlow: 'report' };
  gateway = await Gateway.open([bounded, REPORT, failing, PARENT]);
  const { scripts } = gateway.world.commands;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = async () => {
    await gate;
    return { kind: 'succeeded', output: null } as const;
  };
  scripts.set('m.a', held);
  scripts.set('m.tell', held);
  scripts.set('m.bad', () => fails());
});
afterEach(async () => {
  release();
  await gateway.close();
});

function start(flow = 'test-flow', key?: string) {
  return gateway.post('/v1/tasks', { flow }, key === undefined ? {} : { 'idempotency-key': key });
}

async function codes(count: number): Promise<readonly number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => start()));
  return answers.map(({ statusCode }) => statusCode).sort((a, b) => a - b);
}

async function untilLive(flow: string, count: number): Promise<void> {
  for (let n = 0; (await gateway.world.store.countStarted(flow, 99)) !== count; n += 1) {
    if (n === 10_000) throw new Error(`flow ${flow} has never ${count} live tasks`);
    await settle();
  }
}

describe('a flow with maxLive', () => {
  it('has no more live tasks than that, and room comes as they end', async () => {
    expect(await codes(20)).toEqual([201, 201, ...Array<number>(18).fill(429)]);
    const refused = await start();
    expect(refused.json()).toMatchObject({
      code: 'TOO_MANY_LIVE',
      detail: 'Flow test-flow has 2 unfinished tasks, the most that its `maxLive` allows.',
    });
    expect(refused.headers['retry-after']).toBe('5');
    release();
    await untilLive('test-flow', 0);
    expect((await start()).statusCode).toBe(201);
  });

  it('answers a repetition with its task, whether there is room or not', async () => {
    const first = await start('test-flow', 'k-1');
    const second = await start('test-flow', 'k-2');
    expect((await start('test-flow', 'k-3')).statusCode).toBe(429);
    const again = await Promise.all([start('test-flow', 'k-1'), start('test-flow', 'k-2')]);
    expect(again.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const ids = [first, second].map((answer) => answer.json().taskId as string);
    expect(again.map((answer) => answer.json().taskId as string)).toEqual(ids);
  });

  it('lets a repetition take no room from others', async () => {
    await start('test-flow', 'k-1');
    const answers = await Promise.all([
      start('test-flow', 'k-1'),
      start('test-flow', 'k-2'),
      start('test-flow', 'k-1'),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 201, 200]);
  });

  it('answers each entry of a batch for itself', async () => {
    const tasks = Array.from({ length: 4 }, () => ({ flow: 'test-flow' }));
    const { results } = (await gateway.post('/v1/tasks:batch', { tasks })).json();
    expect(results).toMatchObject([
      { status: 201 },
      { status: 201 },
      { status: 429, problem: { code: 'TOO_MANY_LIVE' } },
      { status: 429 },
    ]);
  });

  it('refuses the restart of a task, and of each task of an operation', async () => {
    release();
    const taskId = await gateway.create({ flow: 'test-flow' });
    await untilLive('test-flow', 0);
    const { scripts } = gateway.world.commands;
    scripts.set('m.a', () => new Promise(() => undefined));
    expect(await codes(2)).toEqual([201, 201]);
    const one = await gateway.post(`/v1/tasks/${taskId}:restart`, { reason: 'again' });
    expect([one.statusCode, one.json()]).toMatchObject([429, { code: 'TOO_MANY_LIVE' }]);
    const order = { action: 'restart', q: 'status:succeeded', reason: 'all again' };
    const begun = (await gateway.post('/v1/operations', order)).json() as WholeOperation;
    let shown = begun;
    for (let n = 0; shown.endedAt === null && n < 100; n += 1) {
      await gateway.world.clock.advance(1_000);
      const url = `/v1/operations/${begun.operationId}`;
      shown = (await gateway.ask({ url })).json() as WholeOperation;
    }
    expect(JSON.stringify(shown)).toContain('TOO_MANY_LIVE');
    expect(await gateway.world.store.countStarted('test-flow', 9)).toBe(2);
  });

  it('has child tasks all the same, which leave the room to others', async () => {
    expect((await start('parent')).statusCode).toBe(201);
    const { store } = gateway.world;
    const children = async () => {
      const { items } = await store.list({ flow: 'test-flow', statuses: [2], limit: 9 });
      return items.length;
    };
    for (let n = 0; (await children()) < 4; n += 1) {
      if (n === 10_000) throw new Error('the child tasks do not start');
      await settle();
    }
    expect(await codes(3)).toEqual([201, 201, 429]);
  });

  it('is started as a failure flow all the same', async () => {
    expect((await start('report')).statusCode).toBe(201);
    expect((await start('report')).statusCode).toBe(429);
    await start('failing');
    const { store } = gateway.world;
    for (let n = 0; (await store.list({ flow: 'report', limit: 9 })).items.length < 2; n += 1) {
      if (n === 10_000) throw new Error('the failure flow does not start');
      await settle();
    }
  });

  it('is shown with it', async () => {
    const shown = (await gateway.ask({ url: '/v1/flows/test-flow' })).json();
    expect(shown).toMatchObject({ maxLive: 2 });
    expect(misfits('Flow', shown)).toEqual([]);
  });
});
