import {
  type Action,
  DEFAULT_TIMEOUT_MS,
  NO_RETRY,
  RESTARTS_BACK,
  RESTARTS_FORWARD,
  type RetryPolicy,
} from '#core';
import { isExpression } from '#expressions';
import { formatDuration, momentMs, parsePositiveDuration, WrongDuration } from '#wording';
import { clip } from './read-json.js';
import { joinPointer } from './json-pointer.js';
import type { ProblemList } from './problem.js';
import type { WrittenAction, WrittenDuration, WrittenRetry } from './written-flow.js';

/** Wait before the first retry where the author gave none. */
const DEFAULT_DELAY_MS = 1_000;

/** Longest wait of an exponential back-off where the author gave none. */
const DEFAULT_MAX_DELAY_MS = 60_000;

/** Where a value stands in a file, and where to say what is wrong with it. */
export interface Site {
  readonly pointer: string;
  readonly problems: ProblemList;
}

/** The halves of a step. */
export type Half = 'normal' | 'rollback';

/** An action with every default filled in; some are another for a rollback. */
export function buildAction(written: WrittenAction, half: Half, site: Site): Action {
  const { module, command, timeout, attemptTimeout, retry, onCrash, parameters } = written;
  const timeoutMs =
    timeout === undefined ? DEFAULT_TIMEOUT_MS : readDuration(timeout, inside(site, 'timeout'));
  const attemptTimeoutMs =
    attemptTimeout === undefined
      ? null
      : readDuration(attemptTimeout, inside(site, 'attemptTimeout'));
  if (attemptTimeoutMs !== null && attemptTimeoutMs > timeoutMs) {
    const isDefault = timeout === undefined ? ', its default,' : '';
    inside(site, 'attemptTimeout').problems.add({
      pointer: joinPointer(site.pointer, 'attemptTimeout'),
      code: 'ATTEMPT_TIMEOUT_TOO_LONG',
      message:
        `One attempt may take ${formatDuration(attemptTimeoutMs)}, but \`timeout\`${isDefault}` +
        ` gives all attempts together ${formatDuration(timeoutMs)}.`,
      hint: 'Raise `timeout`, or lower or remove `attemptTimeout`.',
    });
  }
  return {
    module,
    command,
    timeoutMs,
    attemptTimeoutMs,
    retry: buildRetry(retry, inside(site, 'retry')),
    onCrash: onCrash ?? (half === 'normal' ? RESTARTS_FORWARD : RESTARTS_BACK),
    parameters: parameters ?? null,
  };
}

/** A policy with every default filled in. */
export function buildRetry(written: number | WrittenRetry | undefined, site: Site): RetryPolicy {
  if (written === undefined) return NO_RETRY;
  if (typeof written === 'number') return { ...NO_RETRY, attempts: written + 1 };
  const { attempts, backoff = 'exponential', delay, maxDelay, jitter = false } = written;
  const delayMs =
    delay === undefined ? DEFAULT_DELAY_MS : readDuration(delay, inside(site, 'delay'));
  let maxDelayMs: number | null;
  if (maxDelay === undefined) {
    maxDelayMs = backoff === 'exponential' ? Math.max(DEFAULT_MAX_DELAY_MS, delayMs) : null;
  } else {
    maxDelayMs = maxDelay === null ? null : readDuration(maxDelay, inside(site, 'maxDelay'));
  }
  if (maxDelayMs !== null && maxDelayMs < delayMs) {
    site.problems.add({
      pointer: joinPointer(site.pointer, 'maxDelay'),
      code: 'MAX_DELAY_TOO_SHORT',
      message:
        `No wait may be longer than ${formatDuration(maxDelayMs)},` +
        ` but the first one is ${formatDuration(delayMs)} already.`,
      hint: 'Raise `maxDelay`, or lower `delay`.',
    });
  }
  const { never, only } = written;
  return {
    attempts,
    backoff,
    delayMs,
    maxDelayMs,
    jitter,
    ...(only !== undefined && { only }),
    ...(never !== undefined && { never }),
  };
}

/** A duration in milliseconds; 1 where it is wrong, after saying so. */
export function readDuration(written: WrittenDuration, { pointer, problems }: Site): number {
  try {
    return parsePositiveDuration(written);
  } catch (error) {
    if (!(error instanceof WrongDuration)) throw error;
    const message = `\`${clip(String(written))}\` is ${error.fault}.`;
    const hint = 'Write for example "500ms", "30s", "5m", "2h", or 30 for 30 seconds.';
    problems.add({ pointer, code: 'WRONG_DURATION', message, hint });
    return 1;
  }
}

/**
 * Milliseconds since 1970, or the expression as it is written; 0 where it is no moment, after
 * saying so.
 */
export function readMoment(written: string | number, site: Site): number | string {
  if (isExpression(written)) return written;
  const at = typeof written === 'number' ? Math.round(written * 1_000) : momentMs(written);
  if (Number.isFinite(at)) return at;
  const message = `\`${clip(String(written))}\` is no moment that there is.`;
  const hint = 'Write for example "2027-01-01T06:00:00Z", or seconds since 1970.';
  site.problems.add({ pointer: site.pointer, code: 'WRONG_MOMENT', message, hint });
  return 0;
}

/** The site of a member. */
export function inside({ pointer, problems }: Site, member: string | number): Site {
  return { pointer: joinPointer(pointer, member), problems };
}
