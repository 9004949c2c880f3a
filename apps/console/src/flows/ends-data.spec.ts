import { describe, expect, it } from '@jest/globals';
import { endsOf, partsOf, percentWords, totalOf } from './ends-data.js';

const NONE = { succeeded: 0, rolled_back: 0, terminated: 0 };

describe('the bars of ends', () => {
  it('stand on each other, and show even one among thousands', () => {
    const ended = { ...NONE, succeeded: 8_000, terminated: 1 };
    const counts = endsOf({ ended, rollbackFailed: 1_999 });
    expect(totalOf(counts)).toBe(10_000);
    expect(partsOf(counts, 10_000)).toEqual([
      { end: 'succeeded', from: 0, size: 0.8 },
      { end: 'terminated', from: 0.8, size: 0.015 },
      { end: 'rollbackFailed', from: expect.closeTo(0.815), size: 0.1999 },
    ]);
  });

  it('are not there where nothing ended', () => {
    expect(partsOf(endsOf({ ended: NONE, rollbackFailed: 0 }), 5)).toEqual([]);
  });
});

describe('a share in words', () => {
  it.each([
    [0, '0%'],
    [1, '100%'],
    [0.9999, '99.9%'],
    [0.00001, '0.1%'],
    [0.125, '12.5%'],
  ])('of %d is %s', (share, words) => {
    expect(percentWords(share)).toBe(words);
  });
});
