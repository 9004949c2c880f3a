import { describe, expect, it } from '@jest/globals';
import { slopeOf } from './slope.js';

const line = (level: number, growth: number) =>
  Array.from({ length: 10 }, (_, at) => ({ at, value: level + growth * at }));

describe('the slope over several lives', () => {
  it('is that of a line', () => {
    expect(slopeOf([line(7, 3)])).toBeCloseTo(3);
  });

  it('does not see the step from one life to the next', () => {
    expect(slopeOf([line(100, 2), line(5, 2)])).toBeCloseTo(2);
    expect(slopeOf([line(100, 4), line(5, 2)])).toBeCloseTo(3);
  });

  it('is unknown where nothing was measured twice', () => {
    expect(slopeOf([])).toBeUndefined();
    expect(slopeOf([[{ at: 1, value: 1 }]])).toBeUndefined();
  });
});
