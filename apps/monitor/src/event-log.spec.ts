import { expect, it } from '@jest/globals';
import { ManualClock, RecordingObserver, settle } from '#testing';
import { eventRetention } from './event-log.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

it('removes what is too old at once, the rest of many soon, and looks again every hour', async () => {
  const clock = new ManualClock();
  const asked: number[] = [];
  const left = [500, 500, 3, 0];
  const events = {
    removeOld: (before: number) => {
      asked.push(before - (clock.now() - DAY_MS));
      return Promise.resolve(left.shift() ?? 0);
    },
  };
  const observer = new RecordingObserver();
  const retention = eventRetention({ clock, events, keptMs: DAY_MS, observer });
  retention.start();
  await settle();
  expect(asked).toHaveLength(1);
  await clock.advance(500);
  await clock.advance(500);
  expect(asked).toHaveLength(3);
  await clock.advance(HOUR_MS - 1);
  expect(asked).toHaveLength(3);
  await clock.advance(1);
  expect(asked).toEqual([0, 0, 0, 0]);
  await retention.stop();
  expect(clock.timers).toBe(0);
});
