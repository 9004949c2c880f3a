import assert from 'node:assert/strict';
import type { StatisticsRow } from '#ports';
import { SAMPLE_TIME } from './sample-task.js';
import type { StoreRule } from './store-fixture.js';

const HOUR_MS = 3_600_000;

/** The hour in which samples begin. */
const HOUR = Math.floor(SAMPLE_TIME / HOUR_MS) * HOUR_MS;

/** A row of statistics of a test. */
export function sampleStatistics(owner: string, over: Partial<StatisticsRow> = {}): StatisticsRow {
  const duration = { count: 3, sumMs: 6_010, maxMs: 6_000, buckets: { 5: 2, 26: 1 } };
  const counts = { succeeded: 2, failed: 1, cancelled: 0, retries: 4 };
  return {
    flow: 'a',
    span: 'hour',
    start: HOUR,
    owner,
    started: 4,
    ended: { succeeded: 2, rolled_back: 1 },
    rollbackFailed: 0,
    duration,
    steps: [
      { step: 'g/x', direction: 'normal', ...counts, duration, errors: { NO_HOST: 5 } },
      { step: '*', direction: 'rollback', ...counts, duration, errors: { '*': 1 } },
    ],
    ...over,
  };
}

/** Rules of statistics of flows. */
export function describeStatistics(rule: StoreRule): void {
  const all = { flow: 'a', span: 'hour', from: 0, limit: 100 } as const;

  rule('a row of statistics takes the place of its owner’s row before', async (store) => {
    await store.statistics.putStatistics([]);
    const [first, other] = [sampleStatistics('p 1'), sampleStatistics('p 2')];
    await store.statistics.putStatistics([sampleStatistics('p 1', { started: 1 }), other]);
    await store.statistics.putStatistics([first]);
    await store.statistics.putStatistics([first]);
    const { statistics } = await store.reopen();
    const found = await statistics.findStatistics(all);
    assert.deepEqual(byOwner(found), [first, other]);
  });

  rule('statistics are found by flow and span, the newest first', async ({ statistics }) => {
    const odd = 'a "é\'';
    const hours = [0, 2, 1].map((n) => sampleStatistics('p', { start: HOUR + n * HOUR_MS }));
    const day = sampleStatistics('p', { span: 'day' });
    const others = [sampleStatistics('p', { flow: odd }), sampleStatistics('p', { flow: 'ab' })];
    await statistics.putStatistics([...hours, day, ...others]);
    assert.deepEqual(await statistics.findStatistics(all), [hours[1], hours[2], hours[0]]);
    const from = HOUR + HOUR_MS;
    assert.deepEqual(await statistics.findStatistics({ ...all, from }), [hours[1], hours[2]]);
    assert.deepEqual(await statistics.findStatistics({ ...all, limit: 1 }), [hours[1]]);
    assert.deepEqual(await statistics.findStatistics({ ...all, span: 'day' }), [day]);
    assert.deepEqual(await statistics.findStatistics({ ...all, flow: odd }), [others[0]]);
    assert.deepEqual(await statistics.findStatistics({ ...all, flow: 'none' }), []);
  });

  rule('old statistics of a span are removed, few at a time', async ({ statistics }) => {
    const day = sampleStatistics('p', { span: 'day', start: HOUR });
    const hours = [0, 1, 2, 3].map((n) => sampleStatistics('p', { start: HOUR + n * HOUR_MS }));
    await statistics.putStatistics([day, ...hours]);
    const before = HOUR + 3 * HOUR_MS;
    assert.equal(await statistics.removeStatistics('hour', before, 2), 2);
    assert.equal(await statistics.removeStatistics('hour', before, 2), 1);
    assert.equal(await statistics.removeStatistics('hour', before, 2), 0);
    assert.deepEqual(await statistics.findStatistics(all), [hours[3]]);
    assert.deepEqual(await statistics.findStatistics({ ...all, span: 'day' }), [day]);
  });
}

function byOwner(rows: readonly StatisticsRow[]): readonly StatisticsRow[] {
  return rows.toSorted((one, other) => (one.owner < other.owner ? -1 : 1));
}
