import type { RetryPolicy } from '../flow/action.js';
import type { Timing } from './event.js';

/** How waits grow: the first one, doubled each time, never above the most. */
interface Growth {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Wait after the `nth` failure, or before the next sign of life is asked for; 1 for the first. */
export function growingDelay({ firstMs, maxMs }: Growth, nth: number): number {
  return Math.min(firstMs * 2 ** Math.min(Math.max(nth - 1, 0), 40), maxMs);
}

/** A moment, and how long is waited for signs of life. */
interface Waiting {
  readonly now: number;
  readonly moment: { readonly timing: Pick<Timing, 'redispatchAfterMs' | 'redispatchMaxMs'> };
}

/** When it is looked again for what was asked for the `nth` time, should nobody answer. */
export function lookAgainAt({ moment, now }: Waiting, nth: number): number {
  const { redispatchAfterMs: firstMs, redispatchMaxMs: maxMs } = moment.timing;
  return now + growingDelay({ firstMs, maxMs }, nth);
}

/** Spreads a wait over its upper half, so that many do not come in step. `chance`: in [0, 1). */
export function spreadDelay(waitMs: number, chance: number): number {
  return waitMs * (0.5 + chance / 2);
}

/**
 * Wait before the next attempt, in milliseconds, after `failures` failed ones (1 for the first).
 * Exponential: `delay`, doubled each time, never above `maxDelay` (delay 1 s, maxDelay 10 s: 1, 2,
 * 4, 8, 10, 10 ...). `chance` in [0, 1) decides the jitter.
 */
export function retryDelay(policy: RetryPolicy, failures: number, chance: number): number {
  if (policy.backoff === 'none') return 0;
  const growth = { firstMs: policy.delayMs, maxMs: policy.maxDelayMs ?? Number.MAX_SAFE_INTEGER };
  const wait = growingDelay(growth, policy.backoff === 'exponential' ? failures : 1);
  return Math.round(policy.jitter ? spreadDelay(wait, chance) : wait);
}
