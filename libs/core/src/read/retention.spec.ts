import { describe, expect, it } from '@jest/globals';
import { restsSince, restsSinceBefore } from './retention.js';
import { Play, step } from '../transitions/play-spec.js';

const { task } = new Play({ steps: [step('a', [])] });
const ended = { ...task, outcome: 'succeeded', wakeAt: null, endedAt: 1_000 } as const;

describe('how long a final task has been at rest', () => {
  it('counts from its end', () => {
    expect(restsSince(ended)).toBe(1_000);
    expect(restsSinceBefore(ended, 1_000)).toBe(false);
    expect(restsSinceBefore(ended, 1_001)).toBe(true);
  });

  it('counts from the last that a person did with it', () => {
    const acts = [3_000, 2_000].map((at) => ({ key: null, action: 'undo', at }));
    expect(restsSince({ ...ended, doneActions: acts })).toBe(3_000);
  });

  it('is not said of a live task, nor of one that is to be seen to', () => {
    expect(restsSince({ ...task, wakeAt: null })).toBeNull();
    expect(restsSince({ ...ended, wakeAt: 5_000 })).toBeNull();
    expect(restsSinceBefore({ ...ended, wakeAt: 5_000 }, 9_000)).toBe(false);
  });
});
