import { describe, expect, it } from '@jest/globals';
import type { TaskEvent } from '../api/shapes.js';
import { exactTimes } from './exact-times.js';

function event(kind: string, ms: number): TaskEvent {
  return { seq: 1, actor: 'p', kind, at: new Date(ms).toISOString() };
}

const EVENTS = [event('created', 1_900), event('started', 2_100), event('succeeded', 2_161)];

describe('times in whole seconds', () => {
  it('are made exact by the events of these seconds', () => {
    const times = exactTimes({ timeStart: 2, timeEnd: 2 }, EVENTS);
    expect(times).toEqual({ from: 2.1, to: 2.161 });
  });

  it.each([
    [
      { timeStart: 2, timeEnd: null },
      { from: 2.1, to: null },
    ],
    [
      { timeStart: null, timeEnd: null },
      { from: null, to: null },
    ],
    [
      { timeStart: 5, timeEnd: 9 },
      { from: 5, to: 9 },
    ],
    [
      { timeStart: 2, timeEnd: 9 },
      { from: 2, to: 9 },
    ],
  ])('stay whole where the journal has no event of them: %j', (whole, times) => {
    expect(exactTimes(whole, EVENTS)).toEqual(times);
  });
});
