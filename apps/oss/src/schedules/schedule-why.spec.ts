import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KeyOrder, makeKey } from '#access';
import type { ScheduleRecord } from '#ports';
import { chain, sampleSchedule, sampleTask } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';
import type { ScheduleExplanation } from './explain-schedule.js';
import type { PublicSchedule } from './schedule.presenter.js';

const EVERY = { flow: 'test-flow', every: '10m' };

let gateway: Gateway;
const keys = new Map<string, string>();

beforeEach(async () => {
  keys.clear();
  gateway = await Gateway.open([chain(['a'])], { asksForKeys: true });
  await addKey({ name: 'ann', role: 'author' });
  await addKey({ name: 'ben', role: 'author' });
});
afterEach(() => gateway.close());

function idOf(name: string): string {
  return `${[...keys.keys()].indexOf(name)}`.padStart(16, '0');
}

async function addKey(order: KeyOrder): Promise<void> {
  const secret = { id: `${keys.size}`.padStart(16, '0'), secret: 's'.repeat(43) };
  const { record, text } = makeKey(order, secret, gateway.world.clock.now());
  await gateway.world.store.keys.put(record, null);
  keys.set(order.name, text);
}

const as = (name: string) => ({ authorization: `Bearer ${keys.get(name)}` });

function put(kind: string, body: object, by = 'ann') {
  return gateway.ask({ method: 'PUT', url: `/v1/${kind}`, body, headers: as(by) });
}

async function revoke(name: string): Promise<void> {
  await gateway.world.store.keys.remove(idOf(name), 'any');
}

/** A schedule of a running flow that stands as these members say. */
async function stand(more: Partial<ScheduleRecord>): Promise<ScheduleExplanation> {
  const { order } = sampleSchedule('s');
  const own = { ...order, flow: 'test-flow', labels: {}, parameters: {} };
  const none = { pause: null, starting: null, waiting: [], lastError: null, running: [] };
  await gateway.world.store.schedules.put(
    sampleSchedule('s', { order: own, ...none, ...more }),
    null,
  );
  return why('s');
}

async function why(name: string, by = 'ben'): Promise<ScheduleExplanation> {
  const answer = await gateway.ask({ url: `/v1/schedules/${name}/why`, headers: as(by) });
  expect(misfits('ScheduleExplanation', answer.json())).toEqual([]);
  return answer.json() as ScheduleExplanation;
}

const codesOf = ({ causes }: ScheduleExplanation) => causes.map(({ code }) => code);

describe('why a schedule starts nothing', () => {
  it('says who paused it, and why', async () => {
    const explained = await stand({ pause: { by: 'ann', reason: 'holidays', since: 1 } });
    expect([explained.active, codesOf(explained)]).toEqual([false, ['PAUSED']]);
    expect(explained.causes[0]).toMatchObject({
      message: expect.stringContaining('ann paused the schedule: holidays'),
      evidence: { by: 'ann', reason: 'holidays' },
      next: [{ action: 'resume' }],
    });
  });

  it('says that its flow is gone, and when it would start', async () => {
    const { order } = sampleSchedule('s');
    const explained = await stand({ order: { ...order, flow: 'other', labels: {} } });
    expect([explained.active, codesOf(explained)]).toEqual([
      false,
      ['FLOW_GONE', 'WAITS_FOR_MOMENT'],
    ]);
  });

  it.each<[Partial<ScheduleRecord>, string, boolean]>([
    [{ nextAt: null }, 'OVER', false],
    [{ waiting: [1, 2] }, 'WAITS_FOR_RUN', true],
    [{ starting: { moment: 1, taskId: 't' } }, 'STARTING', true],
    [
      {
        starting: { moment: 1, taskId: 't' },
        lastError: { moment: 1, at: 1, code: 'FULL', message: 'no room', isRetried: true },
      },
      'START_RETRIED',
      true,
    ],
  ])('of %j it is %s', async (more, code, active) => {
    const explained = await stand(more);
    expect([codesOf(explained), explained.active]).toEqual([[code], active]);
  });

  it('tells how the latest moments fared, the newest first', async () => {
    const spell = { from: 1_000, to: 3_000, count: 3, at: 3_500 };
    const { past } = await stand({
      past: [
        { ...spell, result: 'started', detail: 'task-1' },
        { ...spell, result: 'failed', detail: 'no flow (FLOW_NOT_FOUND)' },
        { ...spell, result: 'overlap', detail: null },
      ],
    });
    expect(past.map(({ result, taskId }) => [result, taskId])).toEqual([
      ['overlap', null],
      ['failed', null],
      ['started', 'task-1'],
    ]);
    expect(past[1]).toMatchObject({ count: 3, from: '1970-01-01T00:00:01.000Z' });
    expect(past[1]?.message).toContain('no flow (FLOW_NOT_FOUND)');
  });

  it('is told to nobody who does not see it', async () => {
    await addKey({ name: 'out', role: 'author', flows: 'other' });
    await put('schedules/s', EVERY);
    const answer = await gateway.ask({ url: '/v1/schedules/s/why', headers: as('out') });
    expect(answer.json()).toMatchObject({ code: 'SCHEDULE_NOT_FOUND' });
  });
});

describe('what outlives the key that it was stored with', () => {
  it('is a schedule: it says that its author is gone, until it has another', async () => {
    const stored = (await put('schedules/s', EVERY)).json() as PublicSchedule;
    expect(stored.author).toEqual({ keyId: idOf('ann'), gone: false });
    await revoke('ann');
    const explained = await why('s');
    expect([explained.active, codesOf(explained)]).toEqual([
      true,
      ['WAITS_FOR_MOMENT', 'AUTHOR_GONE'],
    ]);
    const shown = await gateway.ask({ url: '/v1/schedules', headers: as('ben') });
    expect(misfits('SchedulePage', shown.json())).toEqual([]);
    expect(shown.json()).toMatchObject({ items: [{ author: { gone: true } }] });
    const taken = await put('schedules/s', EVERY, 'ben');
    expect([taken.statusCode, taken.headers['etag']]).toEqual([200, '"1"']);
    expect(taken.json()).toMatchObject({
      updatedBy: 'ben',
      author: { keyId: idOf('ben'), gone: false },
      nextAt: stored.nextAt,
    });
    expect(codesOf(await why('s'))).toEqual(['WAITS_FOR_MOMENT']);
  });

  it('is a notification, in the same way', async () => {
    const channel = { type: 'slack', url: 'https://hooks.example.org/x' };
    const order = { on: ['failed'], channel };
    const stored = await put('notifications/n', order);
    expect(stored.json()).toMatchObject({ author: { keyId: idOf('ann'), gone: false } });
    await revoke('ann');
    const url = '/v1/notifications/n';
    const shown = await gateway.ask({ url, headers: as('ben') });
    expect(misfits('Notification', shown.json())).toEqual([]);
    expect(shown.json()).toMatchObject({ author: { gone: true }, updatedBy: 'ann' });
    const taken = await put('notifications/n', order, 'ben');
    expect(taken.headers['etag']).toBe('"1"');
    expect(taken.json()).toMatchObject({ author: { gone: false }, updatedBy: 'ben' });
  });
});

describe('the tasks of a schedule that started another flow before', () => {
  it('are shown to those who see them', async () => {
    await addKey({ name: 'some', role: 'viewer', flows: 'test-*' });
    const task = sampleTask({ flow: 'before' });
    await gateway.world.store.insert(task);
    const { taskId } = task.plan;
    const times = { from: 1_000, to: 1_000, at: 1_000, count: 1 };
    const past = [{ ...times, result: 'started', detail: taskId }] as const;
    const run = { moment: 1_000, taskId, at: 1_000 };
    const standing = { running: [taskId], waiting: [1_000], lastRun: run, past };
    await stand({ ...standing, starting: null });
    await expectShown(taskId);
    expect((await why('s', 'some')).causes[0]).toMatchObject({ next: [{ action: 'wait' }] });
    const { schedules } = gateway.world.store;
    await schedules.remove('s', (await schedules.get('s'))!);
    await stand({ ...standing, starting: { moment: 1_000, taskId } });
    await expectShown(taskId);
  });

  async function expectShown(taskId: string): Promise<void> {
    for (const url of ['/v1/schedules', '/v1/schedules/s', '/v1/schedules/s/why']) {
      const all = await gateway.ask({ url, headers: as('ann') });
      const some = await gateway.ask({ url, headers: as('some') });
      expect([url, all.body.includes(taskId)]).toEqual([url, true]);
      expect([url, some.statusCode, some.body.includes(taskId)]).toEqual([url, 200, false]);
    }
  }
});
