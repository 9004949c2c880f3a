import type { RetryPolicy } from '../flow/action.js';
import type { Direction } from './journal.js';
import type { JsonObject } from '../json/json.js';

/** Number of a direction in messages: normal 0, rollback 1. */
export const MESSAGE_TYPES: Readonly<Record<Direction, 0 | 1>> = Object.freeze({
  normal: 0,
  rollback: 1,
});

/**
 * A hint that a step's action is to be run now. The task's document decides whether that is so: a
 * message that is late, repeated or forged changes nothing.
 */
export interface StepMessage {
  /** Format of the message. */
  readonly v: 1;
  readonly taskId: string;
  /** Position of the step the message is about, for people; counts down on the way back. */
  readonly cursor: number;
  readonly type: 0 | 1;
  /**
   * The request's parameters and the action's constants; empty where they are too large to travel.
   */
  readonly parameters: JsonObject;
  readonly module: string;
  readonly command: string;
  /** Seconds. */
  readonly timeout: number;
  /** Retries after the first attempt, or the policy as flow files write it. */
  readonly retry: PublicRetry;
  /** Name of the step. */
  readonly step: string;
  /**
   * Id of the step's run; by it alone the receiver finds what is meant. One that the task does not
   * have any more, because the step was reset, changes nothing.
   */
  readonly run: string;
  /** The attempt that this message asks for: 1 for the first. */
  readonly attempt: number;
}

/** A message on its way to a module's queue, with what travels beside its body. */
export interface Dispatch {
  readonly message: StepMessage;
  /** Seconds of head start. */
  readonly priority: number;
  /**
   * Order time, in milliseconds since 1970: of the messages that wait for a module, the one with
   * the smallest goes first.
   */
  readonly orderAt: number;
  readonly traceparent: string | null;
  /**
   * The document that the message was made from, as its store tells of it: whoever gets the message
   * may decide on it, and a commit compares it with what is stored. Absent: it is to be read.
   */
  readonly snapshot?: string | undefined;
}

/**
 * A retry policy as people write and read it: a number of immediate retries, or an object; times in
 * seconds.
 */
export type PublicRetry =
  | number
  | {
      readonly attempts: number;
      readonly backoff: 'none' | 'fixed' | 'exponential';
      readonly delay: number;
      readonly maxDelay: number | null;
      readonly jitter: boolean;
      /** Codes of the only errors that are tried again; absent: all that may be. */
      readonly only?: readonly string[] | undefined;
      /** Codes of errors that are never tried again; absent: none. */
      readonly never?: readonly string[] | undefined;
    };

/** A retry policy as people write it. */
export function publicRetry(retry: RetryPolicy): PublicRetry {
  const { attempts, backoff, delayMs, jitter, maxDelayMs, never, only } = retry;
  if (backoff === 'none' && only === undefined && never === undefined) return attempts - 1;
  return {
    attempts,
    backoff,
    delay: delayMs / 1_000,
    maxDelay: maxDelayMs === null ? null : maxDelayMs / 1_000,
    jitter,
    ...(only !== undefined && { only }),
    ...(never !== undefined && { never }),
  };
}

/** Direction of a message's type number. */
export function directionOf(type: 0 | 1): Direction {
  return type === 0 ? 'normal' : 'rollback';
}
