import assert from 'node:assert/strict';
import type { ScheduleRecord, ScheduleStore } from '#ports';
import { SAMPLE_TIME } from './sample-task.js';
import type { StoreRule } from './store-fixture.js';

/** A schedule that has everything, as it may be stored. */
export function sampleSchedule(name: string, more: Partial<ScheduleRecord> = {}): ScheduleRecord {
  return {
    name,
    id: `id of ${name}`,
    revision: 1,
    generation: 1,
    order: {
      flow: 'größe €@3',
      parameters: { $gt: { 'a.b': [1, null, 'x'] }, half: '\ud800' },
      labels: { team: 'db', 'a.$b': '' },
      priority: -3,
      timing: { cron: '30 2 * * *' },
      timezone: 'Europe/Berlin',
      overlap: 'queue',
      catchUp: 'all',
    },
    anchor: SAMPLE_TIME,
    pause: { by: 'ann', reason: null, since: SAMPLE_TIME },
    createdAt: SAMPLE_TIME,
    updatedAt: SAMPLE_TIME + 1,
    updatedBy: 'ann',
    nextAt: SAMPLE_TIME + 60_000,
    waiting: [SAMPLE_TIME - 2, SAMPLE_TIME - 1],
    starting: { moment: SAMPLE_TIME, taskId: 'task-1' },
    dueAt: SAMPLE_TIME + 60_000,
    lastRun: { moment: null, taskId: 'task-0', at: SAMPLE_TIME },
    running: ['task-0', 'task-2'],
    lastSkipped: { moment: SAMPLE_TIME, at: SAMPLE_TIME, reason: 'overlap' },
    lastError: {
      moment: SAMPLE_TIME,
      at: SAMPLE_TIME,
      code: 'FLOW_NOT_FOUND',
      message: 'there is no flow',
      isRetried: false,
    },
    counts: { started: 1, skipped: 2, failed: 3 },
    ...more,
  };
}

/** The next document of a schedule. */
function after(record: ScheduleRecord, more: Partial<ScheduleRecord> = {}): ScheduleRecord {
  return { ...record, ...more, revision: record.revision + 1 };
}

async function saveAll(
  schedules: ScheduleStore,
  records: readonly ScheduleRecord[],
): Promise<void> {
  for (const record of records) assert.equal(await schedules.save(record, null), true);
}

function namesOf(records: readonly ScheduleRecord[]): readonly string[] {
  return records.map(({ name }) => name);
}

/** Rules of schedules. */
export function describeSchedules(rule: StoreRule): void {
  rule('a schedule is kept as it was stored, and is there after a restart', async (store) => {
    const record = sampleSchedule('nightly');
    const bare = sampleSchedule('bare', {
      pause: null,
      nextAt: null,
      waiting: [],
      starting: null,
      dueAt: null,
      lastRun: null,
      lastSkipped: null,
      lastError: null,
    });
    await saveAll(store.schedules, [record, bare]);
    const again = await store.reopen();
    assert.deepEqual(await again.schedules.find('nightly'), record);
    assert.deepEqual(await again.schedules.find('bare'), bare);
    assert.equal(await again.schedules.find('none'), null);
  });

  rule('a schedule is written in the place of the one that was read alone', async (store) => {
    const { schedules } = store;
    const first = sampleSchedule('s');
    assert.equal(await schedules.save(first, null), true);
    assert.equal(await schedules.save(first, null), false);
    const second = after(first, { dueAt: null });
    assert.equal(await schedules.save(second, first), true);
    assert.equal(await schedules.save(after(first, { nextAt: 5 }), first), false);
    assert.deepEqual(await schedules.find('s'), second);
    assert.equal(await schedules.remove('s', first), false);
    assert.equal(await schedules.remove('s', second), true);
    assert.equal(await schedules.remove('s', second), false);
    assert.equal(await schedules.save(after(second), second), false);
    assert.equal(await schedules.find('s'), null);
  });

  rule('a schedule of the same name and revision is another one', async ({ schedules }) => {
    const old = sampleSchedule('s', { id: 'old' });
    await saveAll(schedules, [old]);
    assert.equal(await schedules.remove('s', old), true);
    const fresh = sampleSchedule('s', { id: 'fresh' });
    await saveAll(schedules, [fresh]);
    assert.equal(await schedules.save(after(old), old), false);
    assert.equal(await schedules.remove('s', old), false);
    assert.deepEqual(await schedules.find('s'), fresh);
  });

  rule('of many who write at once one wins', async ({ schedules }) => {
    const first = sampleSchedule('s');
    const rivals = Array.from({ length: 20 }, (_, n) => sampleSchedule('s', { id: `${n}` }));
    const stored = await Promise.all(rivals.map((rival) => schedules.save(rival, null)));
    assert.equal(stored.filter(Boolean).length, 1);
    const winner = (await schedules.find('s'))!;
    const moved = await Promise.all(
      rivals.map((_, n) => schedules.save(after(winner, { generation: n }), winner)),
    );
    assert.equal(moved.filter(Boolean).length, 1);
    assert.equal((await schedules.find('s'))?.revision, first.revision + 1);
  });

  rule('those are found whose time has come, the earliest first', async ({ schedules }) => {
    const dues = [300, 100, null, 200, 400];
    await saveAll(
      schedules,
      dues.map((dueAt, n) => sampleSchedule(`s${n}`, { dueAt })),
    );
    assert.deepEqual(namesOf(await schedules.findDue(300, 10)), ['s1', 's3', 's0']);
    assert.deepEqual(namesOf(await schedules.findDue(300, 2)), ['s1', 's3']);
    const first = (await schedules.find('s1'))!;
    assert.equal(await schedules.save(after(first, { dueAt: null }), first), true);
    assert.deepEqual(namesOf(await schedules.findDue(300, 10)), ['s3', 's0']);
    assert.deepEqual(await schedules.findDue(99, 10), []);
  });

  rule('schedules are listed by their names, page after page', async ({ schedules }) => {
    const names = ['B', 'a', 'a.b', 'a_b', 'b'];
    await saveAll(
      schedules,
      names.toReversed().map((name) => sampleSchedule(name)),
    );
    assert.deepEqual(namesOf(await schedules.list({ limit: 3 })), names.slice(0, 3));
    assert.deepEqual(namesOf(await schedules.list({ limit: 3, after: 'a.b' })), ['a_b', 'b']);
  });
}
