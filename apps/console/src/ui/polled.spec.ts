import { expect, it, jest } from '@jest/globals';
import { Refused } from '../api/exchange.js';
import { askOnce } from './polled.js';

const { signal } = new AbortController();

function refused(status: number): Refused {
  const about = { type: 'about:blank', title: 'No', detail: 'It may not.', instance: '/x' };
  return new Refused({ ...about, status, code: 'CODE' });
}

it.each([
  ['too many requests', refused(429)],
  ['no answer', new Error('no answer')],
])('goes on asking after %s', async (_, error) => {
  expect(await askOnce(() => Promise.reject(error), signal)).toEqual({ isAway: true });
});

it.each(['late', 'not wanted any more'])('ends a request whose answer is %s', async (what) => {
  jest.useFakeTimers();
  const page = new AbortController();
  const ask = (turn: AbortSignal): Promise<never> =>
    new Promise((_, reject) => turn.addEventListener('abort', () => reject(new Error('over'))));
  const answered = askOnce(ask, page.signal);
  if (what === 'late') jest.advanceTimersByTime(30_000);
  else page.abort();
  jest.useRealTimers();
  expect(await answered).toEqual({ isAway: true });
});

it('ends with a request that would be refused again', async () => {
  const error = refused(403);
  const answered = await askOnce(() => Promise.reject(error), signal);
  expect(answered).toEqual({ refusal: error, isAway: false });
});
