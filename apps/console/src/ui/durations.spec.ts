import { describe, expect, it } from '@jest/globals';
import {
  dayWords,
  durationWords,
  exactWords,
  hourWords,
  relativeWords,
  utcDayWords,
  zoneWords,
} from './durations.js';

describe('times in words', () => {
  it.each([
    [0, 'under 1 s'],
    [59.9, '59 s'],
    [61, '1 min 1 s'],
    [3_600, '1 h'],
    [7_500, '2 h 5 min'],
    [90_061, '1 d 1 h'],
    [86_401, '1 d'],
  ])('%d seconds', (seconds, words) => {
    expect(durationWords(seconds)).toBe(words);
  });

  it('say the zone at an axis, which for counted days is UTC', () => {
    const lateInDay = Date.UTC(2026, 0, 31, 23, 30) / 1_000;
    expect(hourWords(lateInDay)).toContain(zoneWords(lateInDay));
    expect(utcDayWords(lateInDay)).toBe('31 Jan, UTC');
  });

  it('name a moment by the clock of the reader', () => {
    const moment = new Date(2026, 10, 30, 1, 6, 35, 123).getTime() / 1_000;
    expect(dayWords(moment)).toBe('Monday 30 November 2026');
    expect(exactWords(moment)).toBe(`30 Nov 2026, 01:06:35.123 ${zoneWords(moment)}`);
  });

  it.each([
    [1_000, 1_002, 'just now'],
    [1_000, 1_090, '1 min ago'],
    [1_000, 400, 'in 10 min'],
  ])('%d seen at %d', (at, now, words) => {
    expect(relativeWords(at, now)).toBe(words);
  });
});
