import type { RetryPolicy } from './action.js';

/**
 * Wait before the next attempt, in milliseconds, after `failures` failed ones (1 for the first).
 * Exponential: `delay`, doubled each time, never above `maxDelay` (delay 1 s, maxDelay 10 s: 1, 2,
 * 4, 8, 10, 10 ...). `chance` in [0, 1) decides the jitter, which spreads the wait over its upper
 * half.
 */
export function retryDelay(policy: RetryPolicy, failures: number, chance: number): number {
  if (policy.backoff === 'none') return 0;
  const growth = policy.backoff === 'exponential' ? 2 ** Math.min(failures - 1, 40) : 1;
  const wait = Math.min(policy.delayMs * growth, policy.maxDelayMs ?? Number.MAX_SAFE_INTEGER);
  return Math.round(policy.jitter ? wait * (0.5 + chance / 2) : wait);
}

/** Wait before a message is sent for the `dispatches + 1`-th time, in milliseconds. */
export function redispatchDelay(firstMs: number, maxMs: number, dispatches: number): number {
  return Math.min(firstMs * 2 ** Math.min(Math.max(dispatches - 1, 0), 40), maxMs);
}
