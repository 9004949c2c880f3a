import type { Action } from '../flow/action.js';

/**
 * The action that reports a failed rollback to the person on call: a command of the monitor module.
 * It runs with the same claim, lease and wake-up as any step, and is retried until somebody has
 * received it.
 */
export const ALERT_ACTION: Action = Object.freeze({
  module: 'monitor',
  command: 'raise_alert',
  timeoutMs: Number.MAX_SAFE_INTEGER,
  attemptTimeoutMs: 30_000,
  retry: Object.freeze({
    attempts: Number.MAX_SAFE_INTEGER,
    backoff: 'exponential',
    delayMs: 1_000,
    maxDelayMs: 60_000,
    jitter: true,
  }),
  // A lost attempt is one of its retries, which never end and wait longer each time.
  onCrash: Object.freeze({ restarts: 0 }),
  parameters: null,
} as const);
