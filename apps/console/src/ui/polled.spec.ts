import { expect, it } from '@jest/globals';
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

it('ends with a request that would be refused again', async () => {
  const error = refused(403);
  const answered = await askOnce(() => Promise.reject(error), signal);
  expect(answered).toEqual({ refusal: error, isAway: false });
});
