import { expect, it } from '@jest/globals';
import { BETWEEN, instantOf, localTime, rangeIn, withRange } from './time-range.js';

it('finds the time range of a search', () => {
  expect(['', 'flow:a age:<1h', 'createdAfter:2026-01-31'].map(rangeIn)).toEqual([
    '',
    '<1h',
    BETWEEN,
  ]);
});

it('replaces the range, and leaves the rest of the search', () => {
  const text = 'flow:a age:<1h "no host"';
  expect(withRange(text, '<7d')).toBe('flow:a "no host" age:<7d');
  expect(withRange(`${text} createdBefore:2026-01-31`, BETWEEN)).toBe('flow:a "no host"');
  expect(withRange('createdAfter:1 createdBefore:2', '')).toBe('');
});

it('shows a moment as the box takes it, and reads it back', () => {
  const local = localTime('2026-01-31T08:00:00Z');
  expect(instantOf(local)).toBe('2026-01-31T08:00:00.000Z');
  expect(localTime('1769846400')).toBe(local);
  expect([localTime('soon'), localTime(), instantOf('')]).toEqual(['', '', '']);
});
