import { describe, expect, it } from '@jest/globals';
import { WAITING_MAX } from '#ports';
import { noteStart, noteTrigger } from './note-start.js';
import { GRACE_MS, TAKE_OVER_MS } from './plan-moments.js';
import { MINUTE, plan, scheduleWith, START } from './sample-schedule-spec.js';

/** The moment of this number. */
function moment(n: number): number {
  return START + n * 10 * MINUTE;
}

/** The start that was decided on is carried out. */
function started(record: ReturnType<typeof plan>, now: number) {
  return noteStart(record, record.starting!, { now, result: { kind: 'started' } });
}

describe('a moment', () => {
  it('is left alone before it comes', () => {
    const record = scheduleWith();
    expect(record).toMatchObject({ nextAt: moment(1), dueAt: moment(1) });
    expect(plan(record, moment(1) - 1)).toBe(record);
  });

  it('is decided on once, and then carried out', () => {
    const decided = plan(scheduleWith(), moment(1) + 5);
    expect(decided).toMatchObject({
      revision: 2,
      nextAt: moment(2),
      starting: { moment: moment(1), taskId: `task of ${moment(1)}` },
      dueAt: moment(1) + 5 + TAKE_OVER_MS,
    });
    const done = started(decided, moment(1) + 7);
    expect(done).toMatchObject({
      revision: 3,
      starting: null,
      dueAt: moment(2),
      lastRun: { moment: moment(1), taskId: `task of ${moment(1)}`, at: moment(1) + 7 },
      counts: { started: 1, skipped: 0, failed: 0 },
    });
    const later = { lastRun: expect.anything(), past: [expect.anything()] };
    expect(started(decided, moment(1) + 8)).toEqual({ ...done, ...later });
    expect(noteStart(done, decided.starting!, { now: 0, result: { kind: 'started' } })).toBe(done);
  });

  it('of which there can be no task is given up, and told until one goes well', () => {
    const decided = plan(scheduleWith(), moment(1));
    const result = { kind: 'failed', code: 'FLOW_NOT_FOUND', message: 'there is none' } as const;
    const failed = noteStart(decided, decided.starting!, { now: moment(1), result });
    const error = { moment: moment(1), code: 'FLOW_NOT_FOUND', isRetried: false };
    expect(failed).toMatchObject({ starting: null, lastError: error, dueAt: moment(2) });
    expect(failed.counts).toEqual({ started: 0, skipped: 0, failed: 1 });
    expect(started(plan(failed, moment(2)), moment(2)).lastError).toBeNull();
  });

  it('that cannot be started now is tried again soon, before those that follow', () => {
    const decided = plan(scheduleWith(), moment(1));
    const result = { kind: 'later', code: 'TOO_MANY_REQUESTS', message: 'no room' } as const;
    const later = noteStart(decided, decided.starting!, { now: moment(1), result });
    expect(later).toMatchObject({ starting: decided.starting, lastError: { isRetried: true } });
    expect(later.dueAt).toBeLessThan(moment(1) + MINUTE);
    expect(later.counts.failed).toBe(0);
    expect(plan(later, moment(3)).waiting).toEqual([]);
  });
});

describe('a moment at which the flow has no room', () => {
  const full = { kind: 'skipped', reason: 'too_many_live' } as const;

  it('is skipped, and the schedule goes on with the next', () => {
    const decided = plan(scheduleWith(), moment(1));
    const skipped = noteStart(decided, decided.starting!, { now: moment(1) + 3, result: full });
    expect(skipped).toMatchObject({
      starting: null,
      lastError: null,
      lastSkipped: { moment: moment(1), at: moment(1) + 3, reason: 'too_many_live' },
      counts: { started: 0, skipped: 1, failed: 0 },
      dueAt: moment(2),
      revision: decided.revision + 1,
    });
    expect(plan(skipped, moment(2)).starting?.moment).toBe(moment(2));
  });

  it('is no longer told to be tried again', () => {
    const decided = plan(scheduleWith(), moment(1));
    const start = decided.starting!;
    const result = { kind: 'later', code: 'TOO_MANY_REQUESTS', message: 'no room' } as const;
    const later = noteStart(decided, start, { now: moment(1), result });
    expect(noteStart(later, start, { now: moment(1), result: full }).lastError).toBeNull();
  });
});

describe('the past of a schedule', () => {
  const resultsOf = ({ past = [] }: ReturnType<typeof plan>) =>
    past.map(({ count, from, result, to }) => [result, count, from, to]);

  it('has moments in a row that fared alike as one', () => {
    let record = scheduleWith();
    for (let n = 1; n <= 3; n += 1) record = started(plan(record, moment(n)), moment(n));
    expect(resultsOf(record)).toEqual([['started', 3, moment(1), moment(3)]]);
    expect(record.past?.[0]?.detail).toBe(`task of ${moment(3)}`);
    const busy = { isFree: false };
    record = plan(plan(record, moment(4), busy), moment(5), busy);
    expect(resultsOf(record).slice(1)).toEqual([['overlap', 2, moment(4), moment(5)]]);
  });

  it('tells apart failures of which the reasons differ', () => {
    let record = scheduleWith();
    for (const [n, code] of [
      [1, 'A'],
      [2, 'A'],
      [3, 'B'],
    ] as const) {
      const decided = plan(record, moment(n));
      const result = { kind: 'failed', code, message: 'no' } as const;
      record = noteStart(decided, decided.starting!, { now: moment(n), result });
    }
    expect(resultsOf(record).map(([result, count]) => [result, count])).toEqual([
      ['failed', 2],
      ['failed', 1],
    ]);
  });

  it('keeps what was missed, though the next decision skips for another reason', () => {
    const facts = { since: moment(4) + GRACE_MS + 1, isFree: false };
    const back = plan(scheduleWith({ catchUp: 'none' }), moment(5), facts);
    expect(back.lastSkipped?.reason).toBe('overlap');
    expect(resultsOf(back)).toEqual([
      ['missed', 4, moment(1), moment(4)],
      ['overlap', 1, moment(5), moment(5)],
    ]);
  });

  it('tells of what is made up for', () => {
    const back = plan(scheduleWith(), moment(4), { since: moment(4) });
    expect(resultsOf(back)).toEqual([
      ['missed', 2, moment(1), moment(2)],
      ['made_up', 1, moment(3), moment(3)],
    ]);
  });
});

describe('while the run before has not ended', () => {
  const running = (overlap: 'skip' | 'queue' | 'allow') =>
    started(plan(scheduleWith({ overlap }), moment(1)), moment(1));
  const busy = { isFree: false };

  it('skip passes the moment over', () => {
    const skipped = plan(running('skip'), moment(2), busy);
    expect(skipped).toMatchObject({
      nextAt: moment(3),
      dueAt: moment(3),
      starting: null,
      waiting: [],
      lastSkipped: { moment: moment(2), at: moment(2), reason: 'overlap' },
      counts: { started: 1, skipped: 1, failed: 0 },
    });
    expect(plan(skipped, moment(3)).starting?.moment).toBe(moment(3));
  });

  it('allow starts it all the same', () => {
    expect(plan(running('allow'), moment(2), busy).starting?.moment).toBe(moment(2));
  });

  it('queue lets it wait, and starts them one after the other in their order', () => {
    const waiting = plan(plan(running('queue'), moment(2), busy), moment(3), busy);
    expect(waiting).toMatchObject({ waiting: [moment(2), moment(3)], starting: null });
    const next = plan(waiting, moment(3) + 1);
    expect(next).toMatchObject({ waiting: [moment(3)], starting: { moment: moment(2) } });
    const again = plan(started(next, moment(3) + 1), moment(3) + 2, busy);
    expect(again).toMatchObject({ waiting: [moment(3)], starting: null });
  });

  it('what waits is looked at again soon, and later the longer it waits', () => {
    const waiting = plan(running('queue'), moment(2), busy);
    expect(waiting.dueAt).toBe(moment(2) + 1_000);
    const later = plan(waiting, moment(2) + 5 * MINUTE, busy);
    expect(later.dueAt).toBe(moment(2) + 5 * MINUTE + 30_000);
  });

  it('so many wait at most, and further ones are skipped', () => {
    const full = plan(running('queue'), moment(1 + WAITING_MAX + 3), busy);
    expect(full.waiting).toHaveLength(WAITING_MAX);
    expect(full).toMatchObject({
      waiting: expect.arrayContaining([moment(2), moment(1 + WAITING_MAX)]),
      lastSkipped: { moment: moment(1 + WAITING_MAX + 3), reason: 'queue_full' },
      counts: { skipped: 3 },
    });
  });

  it('all runs that may not have ended are kept in mind, those by hand as well', () => {
    const both = noteTrigger(running('skip'), 'by hand', moment(1) + 1);
    expect(both.running).toEqual([`task of ${moment(1)}`, 'by hand']);
    expect(plan(both, moment(2)).running).toEqual([]);
    expect(plan(running('allow'), moment(2)).running).toEqual([`task of ${moment(1)}`]);
    let many = running('allow');
    for (let n = 0; n < 30; n += 1) many = noteTrigger(many, `by hand ${n}`, moment(1));
    expect(many.running).toHaveLength(20);
  });

  it('a run that was started by hand is one', () => {
    const record = noteTrigger(scheduleWith(), 'by hand', START);
    expect(record.lastRun).toEqual({ moment: null, taskId: 'by hand', at: START });
    expect(record.running).toEqual(['by hand']);
    expect(plan(record, moment(1), busy).lastSkipped?.reason).toBe('overlap');
  });
});

describe('moments that passed while no gateway lived', () => {
  /** A gateway looks again, right after the fifth moment. */
  const now = moment(5) + GRACE_MS + 1;
  const back = { since: now };
  const starts = (catchUp: 'none' | 'last' | 'all') => {
    let record = scheduleWith({ catchUp, overlap: 'allow' });
    const moments: number[] = [];
    for (;;) {
      record = plan(record, now, back);
      if (record.starting === null) return { record, moments };
      moments.push(record.starting.moment);
      record = started(record, now);
    }
  };

  it('none are made up for', () => {
    const { moments, record } = starts('none');
    expect(moments).toEqual([]);
    expect(record).toMatchObject({
      nextAt: moment(6),
      lastSkipped: { moment: moment(5), reason: 'missed' },
      counts: { started: 0, skipped: 5 },
    });
  });

  it('the last one is made up for', () => {
    const { moments, record } = starts('last');
    expect(moments).toEqual([moment(5)]);
    expect(record).toMatchObject({
      nextAt: moment(6),
      lastSkipped: { moment: moment(4), reason: 'missed' },
      counts: { started: 1, skipped: 4 },
    });
  });

  it('all are made up for', () => {
    const { moments, record } = starts('all');
    expect(moments).toEqual([1, 2, 3, 4, 5].map(moment));
    expect(record).toMatchObject({ nextAt: moment(6), lastSkipped: null });
  });

  it('of all of them no more than may wait, the last ones', () => {
    const late = moment(5_000) + GRACE_MS + 1;
    const record = plan(scheduleWith({ catchUp: 'all', overlap: 'queue' }), late, { since: late });
    expect([record.starting?.moment, ...record.waiting]).toEqual(
      Array.from({ length: WAITING_MAX }, (_, n) => moment(4_901 + n)),
    );
    expect(record.lastSkipped).toMatchObject({ moment: moment(4_900), reason: 'missed' });
  });

  it('a moment that came just before somebody looked was not missed', () => {
    const { since } = { since: moment(1) + GRACE_MS };
    const record = plan(scheduleWith({ catchUp: 'none' }), since, { since });
    expect(record.starting?.moment).toBe(moment(1));
  });

  it.each([
    ['none', []],
    ['last', [3]],
    ['all', [1, 2, 3]],
  ] as const)('of moments close together each that passed was missed: %s', (catchUp, kept) => {
    const record = scheduleWith({ timing: { every: '2s' }, catchUp, overlap: 'queue' });
    const { starting, waiting } = plan(record, START + 7_000, { since: START + 7_000 });
    const taken = starting === null ? [] : [starting.moment, ...waiting];
    expect(taken).toEqual(kept.map((n) => START + n * 2_000));
  });

  it('none was missed by a gateway that was there, however long its store was away', () => {
    let record = scheduleWith({ catchUp: 'none', overlap: 'allow' });
    const moments: number[] = [];
    for (record = plan(record, now); record.starting !== null; record = plan(record, now)) {
      moments.push(record.starting.moment);
      record = started(record, now);
    }
    expect(moments).toEqual([1, 2, 3, 4, 5].map(moment));
  });
});
