import { expect, it } from '@jest/globals';
import { ManualClock, settle } from '#testing';
import { parentEnd } from './run-anew.js';

/** Whether the end was heard when the parent was gone for a second. */
async function heard(env: Readonly<Record<string, string>>, later: number): Promise<boolean> {
  const clock = new ManualClock();
  const starter = { env, ppid: 10 };
  const end = parentEnd(starter, clock).then(() => true);
  starter.ppid = later;
  await clock.advance(1_000);
  return Promise.race([end, settle().then(() => false)]);
}

const npm = { npm_lifecycle_event: 'start' };

it.each([
  ['is heard where npm runs a script', { env: npm, later: 1, expected: true }],
  ['is not heard while the parent is there', { env: npm, later: 10, expected: false }],
  ['is not heard where somebody else was the parent', { env: {}, later: 1, expected: false }],
])('the end of a parent %s', async (_what, { env, later, expected }) => {
  expect(await heard(env, later)).toBe(expected);
});
