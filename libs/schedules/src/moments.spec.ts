import { describe, expect, it } from '@jest/globals';
import type { ScheduleTiming } from '#ports';
import { type Moments, momentsOf, WrongSchedule } from './moments.js';

const ANCHOR = Date.parse('2027-01-01T00:00:00Z');

function momentsIn(timing: ScheduleTiming, timezone = 'UTC', anchor = ANCHOR): Moments {
  return momentsOf({ timing, timezone }, anchor);
}

/** The next moments after a time, as ISO texts without seconds where these are none. */
function after(moments: Moments, time: string, count: number): readonly string[] {
  const found: string[] = [];
  let at = moments.next(Date.parse(time));
  while (at !== null && found.length < count) {
    found.push(new Date(at).toISOString().replace(/:00\.000Z$/, 'Z'));
    at = moments.next(at);
  }
  return found;
}

/** The name of a case, its zone, expression and start time, and the moments that must follow. */
const CASES: readonly (readonly [
  what: string,
  of: readonly [zone: string, cron: string, from: string],
  moments: readonly string[],
])[] = [
  [
    'a fixed time goes by the clock of its zone',
    ['Europe/Berlin', '0 9 * * *', '2027-03-26T12:00Z'],
    ['2027-03-27T08:00Z', '2027-03-28T07:00Z', '2027-03-29T07:00Z'],
  ],
  [
    'a fixed time in the gap of spring comes at its end',
    ['Europe/Berlin', '30 2 * * *', '2027-03-27T00:00Z'],
    ['2027-03-27T01:30Z', '2027-03-28T01:00Z', '2027-03-29T00:30Z'],
  ],
  [
    'a fixed time that autumn repeats comes once',
    ['Europe/Berlin', '30 2 * * *', '2027-10-30T00:00Z'],
    ['2027-10-30T00:30Z', '2027-10-31T00:30Z', '2027-11-01T01:30Z'],
  ],
  [
    'what repeats goes on in the hour that autumn repeats',
    ['Europe/Berlin', '*/30 * * * *', '2027-10-31T00:00Z'],
    ['2027-10-31T00:30Z', '2027-10-31T01:00Z', '2027-10-31T01:30Z'],
  ],
  [
    'what repeats loses nothing in the gap of spring',
    ['Europe/Berlin', '0 * * * *', '2027-03-27T23:30Z'],
    ['2027-03-28T00:00Z', '2027-03-28T01:00Z', '2027-03-28T02:00Z'],
  ],
  [
    'a list of hours is fixed times',
    ['Europe/Berlin', '30 2,14 * * *', '2027-03-27T14:00Z'],
    ['2027-03-28T01:00Z', '2027-03-28T12:30Z'],
  ],
  [
    'New York, autumn',
    ['America/New_York', '30 1 * * *', '2027-11-06T12:00Z'],
    ['2027-11-07T05:30Z', '2027-11-08T06:30Z'],
  ],
  [
    'New York, spring',
    ['America/New_York', '30 2 * * *', '2027-03-13T12:00Z'],
    ['2027-03-14T07:00Z', '2027-03-15T06:30Z'],
  ],
  [
    'Lord Howe goes back by half an hour',
    ['Australia/Lord_Howe', '45 1 * * *', '2027-04-02T12:00Z'],
    ['2027-04-02T14:45Z', '2027-04-03T14:45Z', '2027-04-04T15:15Z'],
  ],
  [
    'Lord Howe goes forward by half an hour',
    ['Australia/Lord_Howe', '15 2 * * *', '2027-10-01T12:00Z'],
    ['2027-10-01T15:45Z', '2027-10-02T15:30Z', '2027-10-03T15:15Z'],
  ],
  [
    'leap days',
    ['UTC', '0 12 29 2 *', '2027-01-01T00:00Z'],
    ['2028-02-29T12:00Z', '2032-02-29T12:00Z'],
  ],
  [
    'six fields begin with the second',
    ['UTC', '*/20 * * * * *', '2027-01-01T00:00Z'],
    ['2027-01-01T00:00:20.000Z', '2027-01-01T00:00:40.000Z'],
  ],
  [
    'a day of the month or of the week',
    ['UTC', '0 0 13 * FRI', '2027-01-05T00:00Z'],
    ['2027-01-08T00:00Z', '2027-01-13T00:00Z', '2027-01-15T00:00Z'],
  ],
];

describe('cron', () => {
  it.each(CASES)('%s', (_what, [zone, cron, from], expected) => {
    expect(after(momentsIn({ cron }, zone), from, expected.length)).toEqual(expected);
  });

  it('every real half hour of a year has its moment, over all changes of the clock', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']) {
      const moments = momentsIn({ cron: '*/30 * * * *' }, zone);
      let at = ANCHOR;
      for (let n = 1; n <= 365 * 48; n += 1) {
        at = moments.next(at) ?? NaN;
        if (at !== ANCHOR + n * 1_800_000)
          throw new Error(`${zone}: ${new Date(at).toISOString()}`);
      }
    }
  });

  it('a day has one moment of a fixed time, over all changes of the clock', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']) {
      const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
      for (const cron of ['0 0 * * *', '45 1 * * *', '15 2 * * *', '30 2 * * *', '0 3 * * *']) {
        const days = after(momentsIn({ cron }, zone), '2027-01-01T12:00Z', 400).map((moment) =>
          day.format(new Date(moment)),
        );
        expect([zone, cron, new Set(days).size]).toEqual([zone, cron, 400]);
      }
    }
  });

  it('the last ones and how many there are in a span', () => {
    const moments = momentsIn({ cron: '0 * * * *' }, 'Europe/Berlin');
    const span = { from: ANCHOR, before: ANCHOR + 4 * 3_600_000 };
    const hours = [0, 1, 2, 3].map((n) => ANCHOR + n * 3_600_000);
    expect(moments.last(span, 10)).toEqual(hours);
    expect(moments.last(span, 2)).toEqual(hours.slice(2));
    expect(moments.count(span, 10)).toBe(4);
    expect(moments.count(span, 3)).toBe(3);
    expect(moments.last({ from: ANCHOR + 1, before: ANCHOR + 2 }, 5)).toEqual([]);
  });
});

describe('every', () => {
  const moments = momentsIn({ every: '90s' });

  it('counts from when it was stored', () => {
    expect(moments.next(ANCHOR)).toBe(ANCHOR + 90_000);
    expect(moments.next(ANCHOR - 500_000)).toBe(ANCHOR + 90_000);
    expect(moments.next(ANCHOR + 90_000)).toBe(ANCHOR + 180_000);
    expect(moments.next(ANCHOR + 179_999)).toBe(ANCHOR + 180_000);
  });

  it('the last ones and how many there are in a span', () => {
    const span = { from: ANCHOR + 90_000, before: ANCHOR + 270_000 };
    expect(moments.last(span, 5)).toEqual([ANCHOR + 90_000, ANCHOR + 180_000]);
    expect(moments.last(span, 1)).toEqual([ANCHOR + 180_000]);
    expect(moments.count(span, 1_000)).toBe(2);
    expect(moments.last({ from: ANCHOR - 1, before: ANCHOR + 90_000 }, 5)).toEqual([]);
  });
});

describe('at', () => {
  const at = (written: string | number, zone = 'Europe/Berlin') =>
    momentsIn({ at: written }, zone).next(0);

  it.each<[string | number, string]>([
    ['2027-03-01T09:00:00Z', '2027-03-01T09:00:00.000Z'],
    ['2027-03-01T09:00+01:00', '2027-03-01T08:00:00.000Z'],
    ['2027-07-01T09:00', '2027-07-01T07:00:00.000Z'],
    ['2027-01-01', '2026-12-31T23:00:00.000Z'],
    ['2027-10-31T02:30:00.250', '2027-10-31T00:30:00.250Z'],
    [1_798_761_600.5, '2027-01-01T00:00:00.500Z'],
  ])('%s is a time', (written, expected) => {
    expect(new Date(at(written) ?? NaN).toISOString()).toBe(expected);
  });

  it('comes once', () => {
    const moments = momentsIn({ at: '2027-03-01T09:00:00Z' });
    const time = Date.parse('2027-03-01T09:00:00Z');
    expect(moments.next(time - 1)).toBe(time);
    expect(moments.next(time)).toBeNull();
    expect(moments.last({ from: time, before: time + 1 }, 1)).toEqual([time]);
    expect(moments.last({ from: time + 1, before: time + 2 }, 1)).toEqual([]);
    expect(moments.count({ from: 0, before: time }, 5)).toBe(0);
  });
});

describe('what is no time', () => {
  it.each<[code: string, timing: ScheduleTiming, zone: string]>([
    ['WRONG_CRON', { cron: '@daily' }, 'UTC'],
    ['WRONG_CRON', { cron: '* * * *' }, 'UTC'],
    ['WRONG_CRON', { cron: '* * * * * * *' }, 'UTC'],
    ['WRONG_CRON', { cron: '61 * * * *' }, 'UTC'],
    ['WRONG_CRON', { cron: '2027-03-01T09:00:00 * * * *' }, 'UTC'],
    ['WRONG_CRON', { cron: `${' '.repeat(300)}* * * * *` }, 'UTC'],
    ['WRONG_TIMEZONE', { cron: '* * * * *' }, 'Europe/Berlni'],
    ['WRONG_TIMEZONE', { every: '1h' }, '+01:00'],
    ['WRONG_DURATION', { every: '1 hour' }, 'UTC'],
    ['WRONG_DURATION', { every: '500ms' }, 'UTC'],
    ['WRONG_DURATION', { every: -5 }, 'UTC'],
    ['WRONG_DURATION', { every: '9000h' }, 'UTC'],
    ['WRONG_TIME', { at: 'tomorrow' }, 'UTC'],
    ['WRONG_TIME', { at: '2027-02-31T09:00:00Z' }, 'UTC'],
    ['WRONG_TIME', { at: '2027-02-01T25:00:00Z' }, 'UTC'],
    ['WRONG_TIME', { at: '2027-02-01T25:00:00' }, 'UTC'],
    ['WRONG_TIME', { at: 1e300 }, 'UTC'],
    ['WRONG_TIME', { at: -1 }, 'UTC'],
  ])('%s: %j', (code, timing, zone) => {
    const read = () => momentsIn(timing, zone);
    expect(read).toThrow(WrongSchedule);
    expect(read).toThrow(expect.objectContaining({ code }));
  });

  it('a zone that was nearly written is named', () => {
    const read = () => momentsIn({ cron: '* * * * *' }, 'Europe/Berlni');
    expect(read).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Europe/Berlin') }),
    );
  });
});
