import type { AbortSignalLike } from './abort.js';

/** A timer that can be called off. Calling it off after it fired does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time. Processes that share a store share the time of day of its clock; what
 * else they take time from is their own.
 */
export interface Clock {
  /** Whole milliseconds since 1970. */
  now(): number;
  /** Milliseconds from a fixed but arbitrary point, never going back; for measuring. */
  monotonic(): number;
  /**
   * Calls `fire` once, `ms` from now (also when that is longer than 24 days). A timer never keeps
   * the process alive.
   */
  after(ms: number, fire: () => void): Timer;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignalLike): Promise<void>;
}
