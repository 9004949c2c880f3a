import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { fuzzBudget } from '../../../../test/fuzz/budget.js';
import { DurationCounter, quantileMs, sumDurations } from './durations.js';

/** From none to a month. */
const LENGTHS = fc.array(fc.integer({ min: 0, max: 2_600_000_000 }), { minLength: 1 });

function counted(lengths: readonly number[]) {
  const counter = new DurationCounter();
  for (const ms of lengths) counter.add(ms);
  return counter.statistics;
}

describe('durations', () => {
  it('tell each quantile within 20 %, or within a millisecond', () => {
    fc.assert(
      fc.property(LENGTHS, fc.constantFrom(0.01, 0.5, 0.95, 1), (lengths, share) => {
        const sorted = lengths.toSorted((one, other) => one - other);
        const exact = sorted[Math.ceil(share * sorted.length) - 1]!;
        const told = quantileMs(counted(lengths), share)!;
        expect(told).toBeLessThanOrEqual(Math.max(exact * 1.2, 1));
        expect(told).toBeGreaterThanOrEqual(exact / 1.2);
      }),
      fuzzBudget(400),
    );
  });

  it('add up to what one counter would have counted', () => {
    fc.assert(
      fc.property(fc.array(LENGTHS), (parts) => {
        expect(sumDurations(parts.map(counted))).toEqual(counted(parts.flat()));
      }),
      fuzzBudget(200),
    );
  });

  it('know no quantile of nothing, and take time that went backwards as none', () => {
    expect(quantileMs(counted([]), 0.5)).toBeNull();
    expect(counted([-5])).toEqual({ count: 1, sumMs: 0, maxMs: 0, buckets: { 0: 1 } });
  });
});
