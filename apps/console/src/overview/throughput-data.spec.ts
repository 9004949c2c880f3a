import { describe, expect, it } from '@jest/globals';
import { barsOf, sumOf } from './throughput-data.js';

const SPAN = { length: 240, every: 60 };

describe('bars of throughput', () => {
  it('fill the span up to now, with zeros where no task was created', () => {
    const intervals = [
      { at: 840, counts: { succeeded: 2, paused: 1 } },
      { at: 960, counts: { rollback_failed: 1, on_hold: 1, rolled_back: 3, terminated: 1 } },
    ];
    const bars = barsOf({ total: 9, isComplete: true, intervals }, SPAN, 1_015.5);
    expect(bars.map(({ at, total }) => [at, total])).toEqual([
      [780, 0],
      [840, 3],
      [900, 0],
      [960, 6],
    ]);
    expect(sumOf(bars)).toEqual({
      succeeded: 2,
      moving: 1,
      terminated: 1,
      rolled_back: 3,
      person: 2,
    });
  });

  it('leave out what may lack tasks where not all were counted', () => {
    const intervals = [{ at: 900, counts: { succeeded: 5 } }];
    const bars = barsOf({ total: 5, isComplete: false, intervals }, SPAN, 1_000);
    expect(bars.map(({ at }) => at)).toEqual([960]);
    expect(barsOf({ total: 0, isComplete: true }, SPAN, 1_000)).toHaveLength(4);
  });
});
