import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chain, done, fails, sampleStatistics, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';
import { GuardedGateway } from '../access/guarded-gateway-spec.js';
import { removeOldStatistics } from '../retention/make-retention.js';

const HOUR_MS = 3_600_000;
const URL = '/v1/flows/test-flow/statistics';

describe('GET /v1/flows/{name}/statistics', () => {
  let gateway: Gateway;

  beforeEach(async () => {
    gateway = await Gateway.open([chain(['a', 'b'])]);
  });

  afterEach(() => gateway.close());

  it('tells at once of tasks that ended here', async () => {
    const { commands } = gateway.world;
    commands.scripts.set('m.b', (_, calls) => (calls === 0 ? done() : fails()));
    for (let n = 0; n < 2; n += 1) await gateway.create({ flow: 'test-flow' });
    await settle();
    const { body, statusCode } = await gateway.ask({ url: URL });
    expect(statusCode).toBe(200);
    const told = JSON.parse(body) as Record<string, unknown>;
    const ends = {
      started: 2,
      ended: { succeeded: 1, rolled_back: 1, terminated: 0 },
      rollbackFailed: 0,
      successRate: 0.5,
    };
    expect(told).toMatchObject({ flow: 'test-flow', over: 'day', every: 3_600, ...ends });
    expect(told['intervals']).toHaveLength(24);
    expect((told['intervals'] as readonly object[]).at(-1)).toMatchObject(ends);
    const steps = told['steps'] as readonly { step: string; direction: string }[];
    expect(steps.map(({ direction, step }) => `${step} ${direction}`)).toEqual([
      'a normal',
      'a rollback',
      'b normal',
      'b rollback',
    ]);
    expect(steps[2]).toMatchObject({ failureRate: 0.5, errors: [{ code: 'FAILED', count: 1 }] });
  });

  it.each([
    ['hour', 2, 3_600],
    ['day', 24, 3_600],
    ['month', 30, 86_400],
  ])('adds up the rows of all processes over an %s', async (over, count, every) => {
    const { clock, store } = gateway.world;
    const now = Math.floor(clock.now() / (every * 1_000)) * every * 1_000;
    const span = every === 3_600 ? 'hour' : 'day';
    const row = { flow: 'test-flow', span } as const;
    const first = now - (count - 1) * every * 1_000;
    const rows = [
      sampleStatistics('p', { ...row, start: now }),
      sampleStatistics('q', { ...row, start: now }),
      sampleStatistics('p', { ...row, start: first }),
      sampleStatistics('p', { ...row, start: first - 1 }),
    ];
    for (const one of rows) await store.statistics.put(one, 'any');
    const answer = await gateway.ask({ url: `${URL}?over=${over}` });
    expect(answer.json()).toMatchObject({ every, from: first / 1_000, started: 12 });
    const { intervals, steps } = answer.json() as {
      intervals: readonly { started: number }[];
      steps: readonly object[];
    };
    expect(intervals).toHaveLength(count);
    expect([intervals[0]?.started, intervals.at(-1)?.started]).toEqual([4, 8]);
    expect(steps).toMatchObject([
      { step: 'g/x', failed: 3, retries: 12, duration: { max: 6 }, errors: [{ count: 15 }] },
      { step: '*', failed: 3 },
    ]);
  });

  it('knows of a flow without tasks that there is nothing to tell', async () => {
    expect((await gateway.ask({ url: URL })).json()).toMatchObject({
      started: 0,
      successRate: null,
      duration: null,
      steps: [],
      isComplete: true,
    });
  });

  it.each([
    ['/v1/flows/none/statistics', 404, 'FLOW_NOT_FOUND'],
    [`${URL}?over=year`, 400, 'INVALID_REQUEST'],
    [`${URL}?since=1`, 400, 'INVALID_REQUEST'],
  ])('refuses %s', async (url, status, code) => {
    const answer = await gateway.ask({ url });
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([status, code]);
  });

  it('are for callers who see the flow, and its tasks whatever their labels', async () => {
    const guarded = await GuardedGateway.open([chain(['a'])]);
    const asked = async (limits: Parameters<GuardedGateway['key']>[1]) => {
      return guarded.as(await guarded.key('viewer', limits)).send('GET', URL);
    };
    expect((await asked({})).status).toBe(200);
    expect((await asked({ flows: ['test-*'] })).status).toBe(200);
    expect((await asked({ modules: ['n'] })).status).toBe(200);
    expect(await asked({ flows: ['other'] })).toMatchObject({ status: 404 });
    expect(await asked({ labels: { team: 'x' } })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    await guarded.gateway.close();
  });

  it('are removed when they are old: hours after two days, days after 35', async () => {
    const { clock, store } = gateway.world;
    const days = [1, 3, 34, 36].map((n) => clock.now() - n * 24 * HOUR_MS);
    for (const span of ['hour', 'day'] as const) {
      const rows = days.map((start) => sampleStatistics('p', { span, start }));
      for (const row of rows) await store.statistics.put(row, 'any');
    }
    await removeOldStatistics({ clock, records: store.records });
    const left = async (span: 'hour' | 'day') => {
      const query = { index: 'flow', of: [span, 'a'], limit: 10 } as const;
      return (await store.statistics.list(query)).length;
    };
    expect([await left('hour'), await left('day')]).toEqual([1, 3]);
  });
});
