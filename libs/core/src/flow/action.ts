import type { JsonObject } from '../json/json.js';

/** How the wait between two attempts grows: not at all, the same each time, or doubled. */
type Backoff = 'none' | 'fixed' | 'exponential';

/**
 * When a failed attempt is tried again. Budgets of a step's normal action and of its rollback are
 * separate.
 */
export interface RetryPolicy {
  /**
   * Starts of the action in all, the first one included: `retry: 3` in a flow file is 4 here. At
   * least 1.
   */
  readonly attempts: number;
  readonly backoff: Backoff;
  /** Wait before the first retry, in milliseconds; 0 with `backoff: none`. */
  readonly delayMs: number;
  /** Upper bound of the wait, in milliseconds; null: none. */
  readonly maxDelayMs: number | null;
  /**
   * Spread each wait evenly over its upper half, so that many tasks do not come back at one moment.
   */
  readonly jitter: boolean;
  /** Codes of the only errors that are tried again; absent: all that may be. */
  readonly only?: readonly string[];
  /** Codes of errors that are never tried again; absent: none. */
  readonly never?: readonly string[];
}

/**
 * The treatment of an action whose attempt was lost with its process. `restarts`: it is started
 * again at most that many times (0 to 100), besides its retries. `fail`: it has failed, and
 * Backstep never starts it a second time by itself.
 */
export type CrashPolicy = 'fail' | { readonly restarts: number };

/** One half of a step: the command that a module's executor runs. */
export interface Action {
  readonly module: string;
  readonly command: string;
  /** Bounds all attempts of the action together, in milliseconds, counted from its first start. */
  readonly timeoutMs: number;
  /** Bounds one attempt, in milliseconds; null: only `timeoutMs` does. */
  readonly attemptTimeoutMs: number | null;
  readonly retry: RetryPolicy;
  readonly onCrash: CrashPolicy;
  /**
   * Constants of the flow for this action alone, expressions among them; they win over everything
   * else of the same name.
   */
  readonly parameters: JsonObject | null;
}

/** Timeout of an action whose author gave none. */
export const DEFAULT_TIMEOUT_MS = 300_000;

/** The crash policy of a normal action whose author set none. */
export const RESTARTS_FORWARD: CrashPolicy = Object.freeze({ restarts: 3 });

/** The same for a rollback: one that fails calls a person, so it may be lost more often. */
export const RESTARTS_BACK: CrashPolicy = Object.freeze({ restarts: 10 });

/** No retry at all: one attempt. */
export const NO_RETRY: RetryPolicy = Object.freeze({
  attempts: 1,
  backoff: 'none',
  delayMs: 0,
  maxDelayMs: null,
  jitter: false,
});
