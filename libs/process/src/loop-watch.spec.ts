import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { ManualClock, RecordingObserver } from '#testing';
import { SystemClock } from '#machine';
import { LoopDelay, LoopWatch } from './loop-watch.js';

let clock: ManualClock;
let observer: RecordingObserver;
let registry: Registry;
let next: { p99Ms: number; maxMs: number };
let watch: LoopWatch;
beforeEach(() => {
  clock = new ManualClock();
  observer = new RecordingObserver();
  registry = new Registry();
  next = { p99Ms: 0, maxMs: 0 };
  const delay = { start: () => {}, stop: () => {}, take: () => next };
  watch = new LoopWatch({ delay, clock, observer, registry });
  watch.start();
});

async function shown(): Promise<string[]> {
  const lines = (await registry.metrics()).split('\n');
  return lines.filter((line) => line.startsWith('backstep_event_loop_delay_seconds'));
}

describe('the event loop of a process', () => {
  it('that stood still for more than a second is told, each time', async () => {
    next = { p99Ms: 30, maxMs: 1_000 };
    await clock.advance(5_000);
    expect(observer.notices).toEqual([]);
    next = { p99Ms: 30, maxMs: 3_240 };
    await clock.advance(5_000);
    expect(observer.notices).toMatchObject([
      {
        level: 'warn',
        name: 'event_loop_delayed',
        message: 'The event loop was blocked for 3.2 s: nothing was answered or renewed.',
      },
    ]);
  });

  it('shows the worst delay of a minute, however seldom it is asked', async () => {
    next = { p99Ms: 500, maxMs: 2_000 };
    await clock.advance(5_000);
    next = { p99Ms: 1, maxMs: 2 };
    await clock.advance(55_000);
    const [p99, max] = ['{stat="p99"}', '{stat="max"}'].map(
      (labels) => `backstep_event_loop_delay_seconds${labels}`,
    );
    expect(await shown()).toEqual([`${p99} 0.5`, `${max} 2`]);
    await clock.advance(5_000);
    expect(await shown()).toEqual([`${p99} 0.001`, `${max} 0.002`]);
  });

  it('is not watched after the end', async () => {
    watch.stop();
    next = { p99Ms: 9_000, maxMs: 9_000 };
    await clock.advance(60_000);
    expect(observer.notices).toEqual([]);
  });
});

describe('the delay of the event loop', () => {
  const clock = new SystemClock();
  let delay: LoopDelay;
  beforeEach(() => {
    delay = new LoopDelay(clock);
    delay.start();
  });
  afterEach(() => delay.stop());

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
    const delay = new LoopDelay({ after: (ms, fire) => clock.after(ms, fire), monotonic });
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
