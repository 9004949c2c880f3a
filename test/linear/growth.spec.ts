import { describe, expect, it } from '@jest/globals';
import { GROWTH_MAX, growthOf, limitBeside, quicker, SIZES } from './growth.js';

const timesOf = (time: (size: number) => number): readonly number[] =>
  SIZES.map((part) => time(part * 8));

describe('the growth of times', () => {
  it('is four where time is in proportion, whatever it costs besides', () => {
    expect(growthOf(timesOf((size) => size))).toBe(4);
    expect(growthOf(timesOf((size) => 100 + size))).toBeLessThan(4);
  });

  it('is forgiven one step, however high', () => {
    expect(growthOf(timesOf((size) => (size > 2 ? 10 : 1) * size))).toBe(4);
    expect(growthOf(timesOf((size) => (size > 4 ? 10 : 1) * size))).toBe(4);
  });

  it('is beyond the limit where time goes by the square', () => {
    expect(growthOf(timesOf((size) => size ** 2))).toBe(16);
    expect(growthOf(timesOf((size) => size + size ** 2))).toBeGreaterThan(GROWTH_MAX);
  });

  it('is beyond the limit where the square makes five sixths of the time at the largest', () => {
    expect(growthOf(timesOf((size) => 1.6 * size + size ** 2))).toBeGreaterThan(GROWTH_MAX);
  });
});

it('the limit grows as a linear reading beside it does, and is never below its own', () => {
  expect(limitBeside(3.5)).toBe(GROWTH_MAX);
  expect(limitBeside(4)).toBe(GROWTH_MAX);
  expect(limitBeside(6)).toBe(GROWTH_MAX * 1.5);
});

it('of two measurements the better time of each size counts', () => {
  expect(quicker([1, 5, 3, 9], [2, 4, 4, 8])).toEqual([1, 4, 3, 8]);
});
