import { describe, expect, it } from '@jest/globals';
import { recoveryOf } from './recovery.js';

const reports = (all: readonly number[]) =>
  all.map((recoveredMs) => ({ name: 'a blow', backMs: 1, recoveredMs }));

describe('the figures of a recovery', () => {
  it('are recoveries that were measured, whatever their order', () => {
    const all = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(recoveryOf(reports(all))).toEqual({ p50: 100, p99: 198, max: 200 });
    expect(recoveryOf(reports([7]))).toEqual({ p50: 7, p99: 7, max: 7 });
    expect(recoveryOf(reports([3, 1, 2]))).toEqual({ p50: 2, p99: 3, max: 3 });
  });
});
