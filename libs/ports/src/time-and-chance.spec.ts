import { expect, it } from '@jest/globals';
import { ManualClock, settle } from '#testing';
import { endsWithin, limited } from './time-and-chance.js';

const never = new Promise<never>(() => {});
const late = (): Error => new Error('late');

it('gives what comes within the limit, value or error, and leaves no timer', async () => {
  const clock = new ManualClock();
  const limit = { clock, ms: 100 };
  await expect(limited(Promise.resolve(1), limit, late)).resolves.toBe(1);
  await expect(limited(Promise.reject(new Error('no')), limit, late)).rejects.toThrow('no');
  await expect(endsWithin(Promise.resolve(1), limit)).resolves.toBe(true);
  await expect(endsWithin(Promise.reject(new Error('no')), limit)).rejects.toThrow('no');
  expect(clock.timers).toBe(0);
});

it('ends a wait at the limit, and not before', async () => {
  const clock = new ManualClock();
  const limit = { clock, ms: 100 };
  const ended: unknown[] = [];
  void limited(never, limit, late).catch((error: Error) => ended.push(error.message));
  void endsWithin(never, limit).then((isOver) => ended.push(isOver));
  await clock.advance(99);
  await settle();
  expect(ended).toEqual([]);
  await clock.advance(1);
  await settle();
  expect(ended).toEqual(expect.arrayContaining(['late', false]));
});

it('hears of no failure that comes too late', async () => {
  const clock = new ManualClock();
  let fail = (_error: Error): void => {};
  const work = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const over = endsWithin(work, { clock, ms: 1 });
  await clock.advance(1);
  await expect(over).resolves.toBe(false);
  fail(new Error('too late'));
  await settle();
});
