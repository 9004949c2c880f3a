import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FlowDefinition, StepPlan } from '#core';
import { action, chain, done, fails, flow, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';
import { estimateTask } from './estimate.js';
import type { PublicEstimate } from './estimate.presenter.js';
import { PastTasks } from './past-tasks.js';

interface Told {
  readonly moving: boolean;
  readonly causes: readonly { readonly code: string; readonly message: string }[];
  readonly estimate: PublicEstimate | null;
}

const INNER = chain(['x', 'y']).steps;
const group: StepPlan = {
  ...{ name: 'both', needs: [], group: INNER, timeoutMs: null },
  retry: action('m.x').retry,
};
const HOLDER: FlowDefinition = { ...flow([group]), name: 'holder' };
const FLOW: FlowDefinition = { ...chain(['a', 'b']), timeoutMs: 60_000 };

const foreach = {
  ...{ in: [1, 2], as: 'item', concurrency: 1, successPercent: 100 },
  ...{ steps: INNER, flow: null, parameters: null },
};
const EACH: FlowDefinition = {
  ...flow([
    { name: 'all', needs: [], foreach },
    { name: 'a', needs: [0], normal: action('m.a'), rollback: null },
  ]),
  name: 'each',
};

let gateway: Gateway;

beforeEach(async () => {
  gateway = await Gateway.open([EACH, FLOW, HOLDER]);
});

afterEach(() => gateway.close());

/** Has commands take so long, and those after them fail that are named. */
function take(ms: Readonly<Record<string, number>>, failing: readonly string[] = []): void {
  const { clock, commands } = gateway.world;
  for (const [name, length] of Object.entries(ms)) {
    commands.scripts.set(`m.${name}`, async () => {
      await clock.sleep(length);
      return failing.includes(name) ? fails() : done();
    });
  }
}

/** Starts a task and lets time go by. */
async function play(name: string, ms: number): Promise<string> {
  const taskId = await gateway.create({ flow: name });
  await gateway.world.clock.advance(ms);
  await settle();
  return taskId;
}

async function why(taskId: string): Promise<Told> {
  const told = (await gateway.ask({ url: `/v1/tasks/${taskId}/why` })).json() as Told;
  expect(misfits('Explanation', told)).toEqual([]);
  return told;
}

async function plan(taskId: string): Promise<PublicEstimate | null> {
  const told = (await gateway.ask({ url: `/v1/tasks/${taskId}/rollback-plan` })).json();
  expect(misfits('RollbackPlan', told)).toEqual([]);
  return (told as { estimate: PublicEstimate | null }).estimate;
}

describe('the estimate of a task', () => {
  it('says that a step takes longer than usual once three tasks tell how long that is', async () => {
    take({ a: 1_000, b: 1_000 });
    const first = await why(await play('test-flow', 500));
    expect(first.causes.map(({ code }) => code)).toEqual(['RUNNING']);
    for (let n = 0; n < 3; n += 1) await play('test-flow', 4_000);
    take({ a: 50_000 });
    const { causes, moving } = await why(await play('test-flow', 5_000));
    expect(causes[0]).toMatchObject({ code: 'RUNNING_LONG', evidence: { p95: 1, tasks: 4 } });
    expect(moving).toBe(true);
  });

  it('is told by tasks that run the same steps, not by those of a part of its flow', async () => {
    take({ x: 2_000, y: 3_000, a: 1_000 });
    for (let n = 0; n < 3; n += 1) await play('each', 40_000);
    const taskId = await play('each', 1_500);
    const { estimate } = await why(taskId);
    expect(estimate).toMatchObject({ tasks: 3, unknown: [] });
    expect(estimate?.p50).toBeGreaterThan(9);
    const { items } = (await gateway.ask({ url: `/v1/tasks?parent=${taskId}` })).json() as {
      items: readonly { taskId: string }[];
    };
    const child = items[0]?.taskId ?? '';
    // The ids of child tasks here are no ids that a path could have.
    const task = await gateway.world.task(child);
    const past = new PastTasks(gateway.options);
    const ofChild = await estimateTask(task, { now: gateway.world.clock.now(), past });
    expect(ofChild).toMatchObject({ tasks: 6, unknown: [] });
    expect(ofChild?.p50Ms).toBeLessThanOrEqual(5_000);
  });

  it('is told by the last tasks of its flow, to the end of the running step and beyond', async () => {
    take({ a: 4_000, b: 6_000 });
    for (let n = 0; n < 3; n += 1) await play('test-flow', 20_000);
    const taskId = await play('test-flow', 1_000);
    const { causes, estimate } = await why(taskId);
    expect(estimate).toMatchObject({
      direction: 'forward',
      p50: 9,
      p95: 9,
      tasks: 3,
      flowVersion: 1,
      unknown: [],
      uncounted: [],
      deadline: { risk: 'none' },
    });
    expect(estimate?.message).toBe(
      'The rest takes about 9 s, as the last 3 tasks of version 1 went.',
    );
    expect(causes.map(({ code }) => code)).toEqual(['RUNNING']);
  });

  it('is told to a reader with limits by the tasks that it sees', async () => {
    take({ a: 4_000, b: 6_000 });
    for (const team of ['x', 'y', 'x', 'x']) {
      await gateway.create({ flow: 'test-flow', labels: { team } });
      await gateway.world.clock.advance(20_000);
      await settle();
    }
    const task = await gateway.world.task(await play('test-flow', 1_000));
    const all = new PastTasks(gateway.options);
    const now = gateway.world.clock.now();
    const counts = [
      null,
      { team: 'x' },
      { team: 'y' },
      { team: 'none' },
      { team: '?*' },
      { team: '*' },
    ].map(async (labels) => {
      const past = all.seenBy({ labels });
      return (await estimateTask(task, { now, past }))?.tasks;
    });
    expect(await Promise.all(counts)).toEqual([4, 3, 1, 0, 0, 4]);
  });

  it('says that it is not known where too few tasks have ended', async () => {
    take({ a: 4_000 });
    const { estimate } = await why(await play('test-flow', 1_000));
    expect(estimate).toMatchObject({ p50: null, p95: null, tasks: 0, unknown: ['a', 'b'] });
    expect(estimate).toMatchObject({ deadline: { risk: 'unknown' } });
    expect(estimate?.message).toMatch(/^How long it takes is not known: fewer than 3 tasks/);
  });

  it('warns of a deadline that will be missed, and of none that will not', async () => {
    take({ a: 4_000, b: 30_000 });
    for (let n = 0; n < 3; n += 1) await play('test-flow', 50_000);
    // This time the first step takes so long that the second has too little time.
    take({ a: 45_000 });
    const taskId = await play('test-flow', 46_000);
    const { causes, estimate, moving } = await why(taskId);
    expect(estimate).toMatchObject({ p50: 29, deadline: { risk: 'likely' } });
    expect(causes[0]).toMatchObject({
      code: 'DEADLINE_AT_RISK',
      message:
        'The task times out in 14 s, and the rest takes about 29 s: it will probably be late.',
    });
    expect(moving).toBe(true);
    await gateway.world.clock.advance(60_000);
    expect((await why(taskId)).estimate).toBe(null);
  });

  it('of a rollback is told by those that were rolled back, before and while it goes', async () => {
    take({ a: 1_000, b: 1_000, undo_a: 50_000 }, ['b']);
    for (let n = 0; n < 3; n += 1) await play('test-flow', 60_000);
    const taskId = await play('test-flow', 1_500);
    // The second step, which runs, has to end before the first is undone.
    expect(await plan(taskId)).toMatchObject({
      ...{ direction: 'back', p50: 50, p95: 50, tasks: 3, flowVersion: 1, deadline: null },
      message: expect.stringMatching(/^Undoing takes about 50 s/),
    });
    await gateway.world.clock.advance(10_500);
    expect((await why(taskId)).estimate).toMatchObject({ direction: 'back', p50: 40, tasks: 3 });
    await gateway.world.clock.advance(100_000);
    const nothing = { p50: 0, p95: 0, message: 'Undoing takes no time.' };
    expect(await plan(taskId)).toMatchObject(nothing);
  });

  it('counts a step that holds steps as a whole, both ways', async () => {
    take({ x: 2_000, y: 3_000, undo_x: 1_000, undo_y: 1_500 });
    for (let n = 0; n < 3; n += 1) {
      const taskId = await play('holder', 10_000);
      await gateway.post(
        `/v1/tasks/${taskId}:undo`,
        { reason: 'r' },
        { 'idempotency-key': `${n}` },
      );
      await gateway.world.clock.advance(10_000);
      await settle();
    }
    for (let n = 0; n < 3; n += 1) await play('holder', 10_000);
    const taskId = await play('holder', 1_000);
    expect((await why(taskId)).estimate).toMatchObject({ p50: 4, tasks: 3 });
    await gateway.world.clock.advance(2_000);
    expect(await plan(taskId)).toMatchObject({ p50: 2.5, tasks: 3 });
  });
});
