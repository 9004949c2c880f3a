import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#machine';
import { ManualClock } from '#testing';
import { LoopDelay } from './loop-delay.js';

let delay: LoopDelay;
afterEach(() => delay.stop());

describe('the delay of the event loop', () => {
  const clock = new SystemClock();
  beforeEach(() => {
    delay = new LoopDelay(clock);
    delay.start();
  });

  it('is at least what a turn took too long, also right after it was read', async () => {
    delay.take();
    const end = clock.monotonic() + 300;
    while (clock.monotonic() < end);
    let longest = 0;
    // As little as a look may be late for its timer after the turn.
    while (longest < 200) {
      await clock.sleep(1);
      longest = Math.max(longest, delay.take().maxMs);
    }
    expect(longest).toBeGreaterThanOrEqual(200);
  });
});

describe('the delays of a loop that turns', () => {
  it('are told once', async () => {
    const clock = new ManualClock();
    let late = 0;
    const monotonic = () => clock.monotonic() + late;
    delay = new LoopDelay({ after: (ms, fire) => clock.after(ms, fire), monotonic });
    delay.start();
    await clock.advance(50 * 50);
    late += 700;
    await clock.advance(50 * 150);
    expect(delay.take()).toEqual({ p99Ms: 0, maxMs: 700 });
    expect(delay.take()).toEqual({ p99Ms: 0, maxMs: 0 });
    delay.stop();
    await clock.advance(1_000);
    expect(delay.take()).toEqual({ p99Ms: 0, maxMs: 0 });
  });
});
