import { describe, expect, it } from '@jest/globals';
import { parseDuration } from './duration.js';

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1.5h', 5_400_000],
    ['10', 10_000],
    [' 1s ', 1_000],
    [2, 2_000],
    [0.25, 250],
    [0, 0],
  ])('%s is %d milliseconds', (written, ms) => {
    expect(parseDuration(written)).toBe(ms);
  });

  it.each(['', '5 minutes', '1d', '-1s', 'ms', '1e3', Number.NaN, -1, Number.POSITIVE_INFINITY])(
    'is not %s',
    (written) => {
      expect(() => parseDuration(written)).toThrow('write 500ms, 30s, 5m or 2h');
    },
  );
});
