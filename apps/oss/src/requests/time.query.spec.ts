import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { fuzzBudget } from '../../../../test/fuzz/budget.js';
import { pattern } from './limits.js';
import { TIME } from './time.query.js';

const { pattern: source } = TIME.schema as { readonly pattern: string };

describe('a time in a query', () => {
  it('is read wherever its pattern fits', () => {
    const rule = fc.property(fc.stringMatching(pattern(source)), (text) => {
      expect(TIME.read(text)).not.toBeNull();
    });
    fc.assert(rule, fuzzBudget(500));
  });

  it('is any day that there is, and no other', () => {
    const parts = fc.tuple(
      fc.integer({ min: 0, max: 9_999 }),
      fc.oneof(fc.constant(2), fc.integer({ min: 1, max: 12 })),
      fc.integer({ min: 27, max: 32 }),
    );
    const rule = fc.property(parts, ([year, month, day]) => {
      const text = [year, month, day].map((part, at) => `${part}`.padStart(at === 0 ? 4 : 2, '0'));
      const date = new Date(0);
      date.setUTCFullYear(year, month - 1, day);
      const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
      expect(TIME.read(text.join('-'))).toBe(isReal ? date.getTime() : null);
    });
    fc.assert(rule, fuzzBudget(500));
  });

  it.each([
    ['1767225600', 1_767_225_600_000],
    ['2026-01-31T08:00Z', 1_769_846_400_000],
    ['2026-01-31T08:00:00.5+05:30', 1_769_826_600_500],
    ['2026-01-31T08:00:00+0530', 1_769_826_600_000],
    ['2026-01-31T24:00:00Z', 1_769_904_000_000],
  ])('%s is %s', (text, ms) => {
    expect(TIME.read(text)).toBe(ms);
  });

  it('is of UTC where it has no zone, wherever the gateway stands', () => {
    const here = Date.parse;
    const parse = jest.spyOn(Date, 'parse').mockImplementation((text) => {
      return here(text) - (/T[^Z+-]+$/.test(text) ? 7_200_000 : 0);
    });
    const texts = ['2026-01-31', '2026-01-31T00:00', '2026-01-31T00:00:00.000'];
    expect(texts.map((text) => TIME.read(text))).toEqual(texts.map(() => 1_769_817_600_000));
    parse.mockRestore();
  });

  it.each(['', 'now', '2026-02-30', '2026-01-31T25:00Z', '2026-01-31T08:00:60Z', '2026-1-1'])(
    'is refused as %j',
    (text) => {
      expect(TIME.read(text)).toBeNull();
    },
  );
});
