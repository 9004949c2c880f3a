import { expect, it } from '@jest/globals';
import { hearServerTime, now, serverNow } from './clock.js';

/** Another clock is read twice: the milliseconds between do not count. */
const minutesAhead = (): number => Math.floor((serverNow() - now() + 1_000) / 60_000);
const dateIn = (ms: number): string => new Date(now() + ms).toUTCString();

it('follows the clock of the server where the browser has another, and no closer than seconds', () => {
  hearServerTime(null);
  hearServerTime('now');
  hearServerTime(dateIn(500));
  expect(minutesAhead()).toBe(0);
  hearServerTime(dateIn(3_601_000));
  expect(minutesAhead()).toBe(60);
  hearServerTime(dateIn(3_602_000));
  expect(minutesAhead()).toBe(60);
  hearServerTime(dateIn(0));
  expect(minutesAhead()).toBe(0);
});
