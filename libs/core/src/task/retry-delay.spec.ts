import { describe, expect, it } from '@jest/globals';
import { NO_RETRY, type RetryPolicy } from '../flow/action.js';
import { growingDelay, retryDelay, spreadDelay } from './retry-delay.js';

const progressive: RetryPolicy = {
  attempts: 10,
  backoff: 'exponential',
  delayMs: 1_000,
  maxDelayMs: 10_000,
  jitter: false,
};

describe('retryDelay', () => {
  it('is nothing where the policy has no back-off', () => {
    expect(retryDelay(NO_RETRY, 3, 0.5)).toBe(0);
  });

  it('doubles up to its maximum', () => {
    const waits = [1, 2, 3, 4, 5, 6].map((failures) => retryDelay(progressive, failures, 0));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  it('stays the same where it is fixed', () => {
    expect(retryDelay({ ...progressive, backoff: 'fixed' }, 9, 0)).toBe(1_000);
  });

  it('spreads over the upper half with jitter', () => {
    const jittered = { ...progressive, jitter: true };
    expect(retryDelay(jittered, 2, 0)).toBe(1_000);
    expect(retryDelay(jittered, 2, 0.999_999)).toBe(2_000);
  });

  it('stays finite after any number of failures', () => {
    expect(retryDelay(progressive, 1_000_000, 0)).toBe(10_000);
  });
});

describe('growingDelay', () => {
  it('grows with every message sent, up to its maximum', () => {
    const waits = [1, 2, 3, 20].map((sent) =>
      growingDelay({ firstMs: 5_000, maxMs: 600_000 }, sent),
    );
    expect(waits).toEqual([5_000, 10_000, 20_000, 600_000]);
  });
});

describe('spreadDelay', () => {
  it('takes the upper half of a wait', () => {
    expect([0, 0.5, 1].map((chance) => spreadDelay(1_000, chance))).toEqual([500, 750, 1_000]);
  });
});
