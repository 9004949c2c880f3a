import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { FlowDefinition } from '#core';
import { FactLedger } from '#notifications';
import type { NotificationRecord } from '#ports';
import { action, chain, done, fails, flow, settle } from '#testing';
import { PastTasks } from '../estimate/past-tasks.js';
import { Gateway } from '../gateway-spec.js';
import { DeadlineFacts, type RiskCounts } from './deadline-facts.js';
import { DeadlineMetrics } from './notification-rounds.js';
import { TaskFacts } from './task-facts.js';

const TIMED: FlowDefinition = { ...chain(['a', 'b']), timeoutMs: 60_000 };
const HOUR_MS = 60 * 60_000;
const PATIENT = { timeoutMs: HOUR_MS };
const SLOW: FlowDefinition = {
  ...flow([
    {
      ...{ name: 'a', needs: [] },
      normal: action('m.a', PATIENT),
      rollback: action('m.undo_a', PATIENT),
    },
    { name: 'b', needs: [0], normal: action('m.b', PATIENT), rollback: null },
  ]),
  name: 'slow-restore',
  timeoutMs: HOUR_MS,
};
const FREE: FlowDefinition = { ...chain(['a', 'b']), name: 'free' };

let gateway: Gateway;
let counted: RiskCounts[];
let walked: string[];
let deadlines: DeadlineFacts;
let tasks: TaskFacts;

beforeEach(async () => {
  gateway = await Gateway.open([TIMED, SLOW, FREE]);
  counted = [];
  walked = [];
  const { options } = gateway;
  const store: typeof options.store = Object.create(options.store, {
    walk: {
      value: (filter: Parameters<typeof options.store.walk>[0]) => {
        walked.push(`${filter.flow} ${filter.statuses?.join(',')}`);
        return options.store.walk(filter);
      },
    },
  }) as typeof options.store;
  const ledger = new FactLedger(options);
  const past = new PastTasks(options);
  const onCounted = (counts: RiskCounts): void => void counted.push(counts);
  deadlines = new DeadlineFacts({ ...options, store, ledger, past, onCounted });
  tasks = new TaskFacts({ ...options, ledger });
});

afterEach(() => gateway.close());

/** Has the commands of the two steps take so long. */
function take(a: number, b: number): void {
  const { clock, commands } = gateway.world;
  for (const [name, ms] of Object.entries({ a, b })) {
    commands.scripts.set(`m.${name}`, async () => {
      await clock.sleep(ms);
      return done();
    });
  }
}

async function play(flow: string, ms: number): Promise<string> {
  const taskId = await gateway.create({ flow });
  await gateway.world.clock.advance(ms);
  await settle();
  return taskId;
}

async function rule(): Promise<readonly NotificationRecord[]> {
  const body = {
    on: ['deadline_at_risk'],
    channel: { type: 'webhook', url: 'http://127.0.0.1:9/' },
  };
  const answer = await gateway.ask({ method: 'PUT', url: '/v1/notifications/late', body });
  expect(answer.statusCode).toBe(201);
  return gateway.options.notifications.list({ limit: 10 });
}

async function told(): Promise<readonly object[]> {
  const page = (await gateway.ask({ url: '/v1/notifications/late/deliveries' })).json();
  return (page as { items: readonly object[] }).items;
}

describe('a deadline that will be missed', () => {
  it('is told once and counted, and is over when the task has ended', async () => {
    const rules = await rule();
    take(4_000, 30_000);
    for (let n = 0; n < 3; n += 1) await play('test-flow', 50_000);
    take(45_000, 30_000);
    const taskId = await play('test-flow', 46_000);
    await deadlines.tick(rules);
    expect(counted).toEqual([{ likely: 1, possible: 0 }]);
    const [first, ...more] = await told();
    expect(more).toEqual([]);
    expect(first).toMatchObject({ on: 'deadline_at_risk', phase: 'firing', subject: taskId });
    expect(first).toMatchObject({ message: expect.stringMatching(/the rest takes about 29 s$/) });
    await gateway.world.clock.advance(10_000);
    await deadlines.tick(rules);
    expect(counted).toHaveLength(1);
    await tasks.tick(rules);
    expect(await told()).toHaveLength(1);
    await gateway.world.clock.advance(60_000);
    await settle();
    expect((await gateway.world.task(taskId)).outcome).toBe('rolled_back');
    await tasks.tick(rules);
    await deadlines.tick(rules);
    expect((await told()).map((each) => (each as { phase: string }).phase)).toEqual([
      'resolved',
      'firing',
    ]);
    expect(counted[1]).toEqual({ likely: 0, possible: 0 });
  });

  it('is told at the last moment from which a slow step can still be undone in time', async () => {
    const rules = await rule();
    const { clock, commands } = gateway.world;
    take(4_000, 4_000);
    for (let n = 0; n < 3; n += 1) await play('slow-restore', 20_000);
    // Undoing takes five minutes, as three tasks show that were turned back.
    commands.scripts.set('m.b', () => fails());
    commands.scripts.set('m.undo_a', async () => {
      await clock.sleep(300_000);
      return done();
    });
    for (let n = 0; n < 3; n += 1) await play('slow-restore', 400_000);
    take(4_000, 2 * HOUR_MS);
    const taskId = await play('slow-restore', 40 * 60_000);
    await deadlines.tick(rules);
    expect(await told()).toEqual([]);
    await clock.advance(14 * 60_000);
    await settle();
    await deadlines.tick(rules);
    expect(await told()).toMatchObject([
      {
        subject: taskId,
        phase: 'firing',
        message: expect.stringMatching(
          /has to start its rollback by \S+ to be undone by \S+, its deadline$/,
        ),
      },
    ]);
    expect((await gateway.world.task(taskId)).outcome).toBeNull();
  });

  it('is looked for in live tasks of flows with a timeout alone, without any rule too', async () => {
    take(4_000, 4_000);
    await play('free', 1_000);
    await play('test-flow', 1_000);
    await deadlines.tick([]);
    expect(walked).toEqual(['slow-restore 1', 'slow-restore 2', 'test-flow 1', 'test-flow 2']);
    expect(counted).toEqual([{ likely: 0, possible: 0 }]);
  });

  it('of many tasks is looked for some at a time', async () => {
    gateway.world.commands.scripts.set('m.a', () => new Promise(() => {}));
    for (let n = 0; n < 250; n += 1) await gateway.create({ flow: 'test-flow' });
    await deadlines.tick([]);
    expect(counted).toEqual([]);
    await gateway.world.clock.advance(30_000);
    await deadlines.tick([]);
    expect(counted).toHaveLength(1);
  });
});

it('the numbers of tasks at risk are metrics', async () => {
  const registry = new Registry();
  new DeadlineMetrics(registry).counted({ likely: 2, possible: 3 });
  const text = await registry.metrics();
  expect(text).toContain('backstep_tasks_deadline_at_risk{risk="likely"} 2');
  expect(text).toContain('backstep_tasks_deadline_at_risk{risk="possible"} 3');
});
