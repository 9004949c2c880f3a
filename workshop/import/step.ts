import { growingDelay, type JsonObject, type JsonValue } from '#core';

/** A step of the flow that is being made. */
export type Step = Readonly<Record<string, JsonValue>>;

/** Most steps of one flow, those in its steps included. */
export const STEPS_MAX = 1_000;

/** Most rounds of a loop. */
export const ROUNDS_MAX = 1_000;

/** Longest time that the language takes: a year, in seconds. */
const SECONDS_MAX = 365 * 24 * 3_600;

/** Time for all attempts where a step says nothing, in seconds. */
const SECONDS_DEFAULT = 300;

/** Seconds as a duration of the language. */
export function duration(seconds: number): string {
  return `${Math.min(Math.max(seconds, 0.001), SECONDS_MAX)}s`;
}

/** How often an action is tried, and how long. */
export interface Trying {
  /** In all, the first one included. */
  readonly attempts: number;
  /** Before the first retry, in seconds. */
  readonly delay: number;
  readonly backoff: 'fixed' | 'exponential';
  /** In seconds. */
  readonly maxDelay?: number | undefined;
  readonly jitter?: boolean | undefined;
  readonly only?: readonly string[] | undefined;
  readonly never?: readonly string[] | undefined;
}

/** The member `retry`; nothing where there is one attempt. */
export function retryOf(trying: Trying | undefined): JsonObject {
  if (trying === undefined || trying.attempts < 2) return {};
  const { attempts, backoff, delay, jitter, maxDelay, never, only } = trying;
  const longest = maxDelay === undefined ? null : duration(Math.max(maxDelay, delay));
  return {
    retry: {
      attempts: Math.min(attempts, 1_000),
      backoff,
      delay: delay > 0 ? duration(delay) : '0s',
      ...(backoff === 'exponential' && { maxDelay: longest }),
      ...(jitter === true && { jitter }),
      ...(only && only.length > 0 && { only: [...only] }),
      ...(never && never.length > 0 && { never: [...never] }),
    },
  };
}

/**
 * `attemptTimeout` and a `timeout` with room for all attempts and the waits between them; sources
 * know a limit for each attempt alone.
 */
export function timesOf(
  attemptSeconds: number | undefined,
  trying: Trying | undefined,
): JsonObject {
  const waits = trying === undefined ? 0 : waitsOf(trying);
  const attempts = trying?.attempts ?? 1;
  if (attemptSeconds === undefined || attemptSeconds === 0) {
    return waits === 0 ? {} : { timeout: duration(SECONDS_DEFAULT * attempts + waits) };
  }
  const each = duration(attemptSeconds);
  if (attempts === 1) return { timeout: each };
  return { timeout: duration(attemptSeconds * attempts + waits), attemptTimeout: each };
}

function waitsOf({ attempts, backoff, delay, maxDelay = SECONDS_MAX }: Trying): number {
  let total = 0;
  for (let n = 1; n < Math.min(attempts, 1_001) && total < SECONDS_MAX; n += 1) {
    total += growingDelay({ firstMs: delay, maxMs: maxDelay }, backoff === 'fixed' ? 1 : n);
  }
  return total;
}
