import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '#testing';
import { SkippingClock } from './skipping-clock.js';

const HOUR = 3_600_000;

describe('a clock that skips', () => {
  it('goes as its base does until it skips, and from there on', async () => {
    const base = new ManualClock();
    const clock = new SkippingClock(base);
    const from = clock.now();
    await base.advance(10);
    clock.skipTo(from + HOUR);
    await base.advance(5);
    expect(clock.now() - from).toBe(HOUR + 5);
    expect(clock.monotonic() - base.monotonic()).toBe(0);
  });

  it('fires the timers that a skip passes in the order of their moments, and no others', async () => {
    const base = new ManualClock();
    const clock = new SkippingClock(base);
    const fired: string[] = [];
    clock.after(HOUR, () => fired.push('hour'));
    clock.after(1_000, () => fired.push('second'));
    clock.after(2 * HOUR, () => fired.push('two hours'));
    clock.after(500, () => fired.push('cancelled')).cancel();
    clock.skipTo(clock.now() + HOUR);
    await base.advance(0);
    expect(fired).toEqual(['second', 'hour']);
    await base.advance(HOUR);
    expect(fired).toEqual(['second', 'hour', 'two hours']);
    expect(base.timers).toBe(0);
  });

  it('never goes back', () => {
    const clock = new SkippingClock(new ManualClock());
    const from = clock.now();
    clock.skipTo(from - HOUR);
    expect(clock.now()).toBe(from);
  });
});
