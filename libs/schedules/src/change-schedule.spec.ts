import { describe, expect, it } from '@jest/globals';
import type { ScheduleOrder, ScheduleRecord } from '#ports';
import { changeSchedule, pauseSchedule, resumeSchedule, upcoming } from './change-schedule.js';
import { MINUTE, orderWith, plan, scheduleWith, START } from './sample-schedule-spec.js';
import { WrongSchedule } from './moments.js';

const NOW = START + 25 * MINUTE;
const ANN = { by: 'ann', now: NOW };

function put(
  record: ScheduleRecord,
  more: Partial<ScheduleOrder>,
  isPaused?: boolean,
): ScheduleRecord {
  return changeSchedule(record, { ...ANN, isPaused, order: orderWith(more) });
}

describe('a schedule that is stored again', () => {
  it('is left alone where nothing is new', () => {
    const record = scheduleWith();
    expect(put(record, {})).toBe(record);
    expect(put(record, {}, false)).toBe(record);
  });

  it('keeps its moments where its times are the same', () => {
    const changed = put(scheduleWith(), { parameters: { a: 1 } });
    expect(changed).toMatchObject({
      generation: 2,
      revision: 2,
      anchor: START,
      nextAt: START + 10 * MINUTE,
      order: { parameters: { a: 1 } },
    });
  });

  it('begins anew where its times are others', () => {
    const changed = put(scheduleWith(), { timing: { every: '7m' } });
    expect(changed).toMatchObject({ anchor: NOW, nextAt: NOW + 7 * MINUTE });
    const zoned = put(scheduleWith({ timing: { cron: '0 9 * * *' } }), {
      timing: { cron: '0 9 * * *' },
      timezone: 'Asia/Tokyo',
    });
    expect(zoned.nextAt).toBe(Date.parse('2027-01-02T00:00:00Z'));
  });

  it('carries out what was decided, and keeps what waits', () => {
    const decided = plan(scheduleWith(), START + 10 * MINUTE);
    const waiting = { ...decided, waiting: [START + 20 * MINUTE] };
    const changed = put(waiting, { flow: 'other', timing: { every: '7m' } });
    expect(changed).toMatchObject({ starting: decided.starting, waiting: waiting.waiting });
  });

  it('stays paused unless it is said otherwise', () => {
    const paused = pauseSchedule(scheduleWith(), { ...ANN, reason: 'audit' });
    expect(put(paused, { timing: { every: '7m' } })).toMatchObject({
      pause: { reason: 'audit' },
      nextAt: null,
    });
    expect(put(paused, {}, false)).toMatchObject({ pause: null, nextAt: START + 30 * MINUTE });
    expect(put(scheduleWith(), {}, true)).toMatchObject({ pause: { by: 'ann' }, dueAt: null });
  });
});

describe('a paused schedule', () => {
  const paused = pauseSchedule(scheduleWith(), { by: 'ann', now: START + 1, reason: 'audit' });

  it('has no moments, and says who paused it and why', () => {
    expect(paused).toMatchObject({
      nextAt: null,
      dueAt: null,
      pause: { by: 'ann', reason: 'audit', since: START + 1 },
    });
    expect(pauseSchedule(paused, { ...ANN, reason: 'again' })).toBe(paused);
    expect(plan(paused, NOW)).toBe(paused);
  });

  it('goes on with its next moment, and tells of those that passed', () => {
    const resumed = resumeSchedule(paused, ANN);
    expect(resumed).toMatchObject({
      pause: null,
      nextAt: START + 30 * MINUTE,
      dueAt: START + 30 * MINUTE,
      lastSkipped: { moment: START + 20 * MINUTE, reason: 'paused' },
      counts: { skipped: 2 },
    });
    expect(resumeSchedule(resumed, ANN)).toBe(resumed);
  });

  it('gives up what waits, and carries out what was decided', () => {
    const record = { ...scheduleWith(), waiting: [START + 1, START + 2] };
    expect(pauseSchedule(record, { ...ANN, reason: 'x' })).toMatchObject({
      waiting: [],
      lastSkipped: { moment: START + 2, reason: 'paused' },
      counts: { skipped: 2 },
    });
    const decided = plan(scheduleWith(), START + 10 * MINUTE);
    const stopped = pauseSchedule(decided, { ...ANN, reason: 'x' });
    expect(stopped.starting).toEqual(decided.starting);
    expect(stopped.dueAt).not.toBeNull();
  });
});

describe('times that never come', () => {
  it.each<[Partial<ScheduleOrder>, string]>([
    [{ timing: { at: '2026-12-31T23:59:59Z' } }, 'at'],
    [{ timing: { at: START / 1_000 } }, 'at'],
    [{ timing: { cron: '0 0 30 2 *' } }, 'cron'],
  ])('%j are refused', (order, member) => {
    expect(() => scheduleWith(order)).toThrow(WrongSchedule);
    expect(() => scheduleWith(order)).toThrow(
      expect.objectContaining({ code: 'NO_MOMENT', member }),
    );
    expect(() => put(scheduleWith(), order)).toThrow(WrongSchedule);
  });

  it('a time that has come is no mistake of somebody who stores the same again', () => {
    const once = { timing: { at: '2027-01-01T00:10:00Z' } };
    const over = plan(scheduleWith(once), START + 10 * MINUTE);
    expect(over.nextAt).toBeNull();
    expect(put(over, once)).toBe(over);
    expect(put(over, { ...once, labels: { team: 'db' } })).toMatchObject({ nextAt: null });
  });
});

describe('the next moments', () => {
  it('are told as they are, and of a paused schedule as they would be', () => {
    const record = scheduleWith();
    const ten = (n: number) => START + n * 10 * MINUTE;
    expect(upcoming(record, 3, START)).toEqual([ten(1), ten(2), ten(3)]);
    const paused = pauseSchedule(record, { ...ANN, reason: 'x' });
    expect(upcoming(paused, 2, NOW)).toEqual([ten(3), ten(4)]);
    expect(upcoming(scheduleWith({ timing: { at: '2027-01-02' } }), 5, START)).toHaveLength(1);
  });
});
