import { expect, it } from '@jest/globals';
import { retryWords } from './retry-words.js';

const RULE = { attempts: 3, backoff: 'exponential', delay: 0.1, maxDelay: 60, jitter: false };

it.each([
  [0, 'never'],
  [1, 'once'],
  [{ ...RULE, attempts: 1 }, 'never'],
  [RULE, '2 times, after 100 ms, then twice as long each time, at most 1 min'],
  [{ ...RULE, maxDelay: null }, '2 times, after 100 ms, then twice as long each time'],
  [{ ...RULE, backoff: 'fixed', delay: 5, jitter: true }, '2 times, 5 s apart, spread'],
  [
    { ...RULE, attempts: 2, backoff: 'fixed', delay: 1, only: ['A', 'B'], never: ['C'] },
    'once, 1 s apart, only for A, B, not for C',
  ],
])('the rule %j is said as a person says it', (rule, words) => {
  expect(retryWords(rule)).toBe(words);
});
