import { describe, expect, it } from '@jest/globals';
import { formatDuration, parseDuration, parsePositiveDuration } from './duration.js';

const UNREADABLE = 'not a duration: write 500ms, 30s, 5m, 2h or 1d, or a number of seconds';
const TOO_LONG = 'too long: at most 365d, one year';

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['1.5ms', 2],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1.5h', 5_400_000],
    ['10', 10_000],
    ['0', 0],
    ['1.5d', 129_600_000],
    ['365d', 31_536_000_000],
    ['8760h', 31_536_000_000],
    [2, 2_000],
    [0.25, 250],
    [1e-9, 0],
    [0, 0],
  ])('%p is %d milliseconds', (written, ms) => {
    expect(parseDuration(written)).toBe(ms);
  });

  it.each([
    ['', UNREADABLE],
    ['5 minutes', UNREADABLE],
    ['5 m', UNREADABLE],
    [' 1s ', UNREADABLE],
    ['1s\n', UNREADABLE],
    ['1w', UNREADABLE],
    ['1D', UNREADABLE],
    ['-1s', UNREADABLE],
    ['.5s', UNREADABLE],
    ['ms', UNREADABLE],
    ['1e3', UNREADABLE],
    [Number.NaN, UNREADABLE],
    [-1, UNREADABLE],
    ['8760.1h', TOO_LONG],
    ['366d', TOO_LONG],
    [31_536_001, TOO_LONG],
    ['9'.repeat(400), TOO_LONG],
    [Number.POSITIVE_INFINITY, TOO_LONG],
  ])('%p is %s', (written, sentence) => {
    expect(() => parseDuration(written)).toThrow(new RangeError(sentence));
  });

  it.each(['0', 0, '0.4ms', 1e-9])('%p is too short where something has to last', (written) => {
    expect(() => parsePositiveDuration(written)).toThrow('too short: at least 1ms');
  });

  it.each([
    [0, '0ms'],
    [1, '1ms'],
    [1_500, '1500ms'],
    [60_000, '1m'],
    [90_000, '90s'],
    [86_400_000, '1d'],
    [129_600_000, '36h'],
  ])('of %d milliseconds is written as %s, and read back', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
    expect(parseDuration(text)).toBe(ms);
  });
});
