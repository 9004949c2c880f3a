import type { AbortSignalLike } from './abort.js';

/** A timer that can be called off. Calling it off after it fired does nothing. */
export interface Timer {
  cancel(): void;
}

/** The only source of time. */
export interface Clock {
  /** Milliseconds since 1970. */
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
