import type { JsonObject } from '#core';
import type { HttpApi } from '../../../schemas/http-api.js';

/** The number of the worker protocol that this library speaks. */
export const WORKER_PROTOCOL = 1;

/**
 * An action that the gateway handed out. Durations are milliseconds from when it was asked for;
 * `attemptTimeLeftMs` is Infinity where the clock that measured it has gone.
 */
export type WorkItem = HttpApi['WorkItem'];

/** How a command ended. Durations in milliseconds. */
export type Outcome =
  | { readonly kind: 'complete'; readonly output?: JsonObject }
  | {
      readonly kind: 'fail';
      readonly message: string;
      readonly retryable: boolean;
      readonly code?: string;
      /** Wait before the next attempt. Default: what the flow says. */
      readonly afterMs?: number;
    }
  /** Not finished: look again after that time. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** Another system says how it ended, within that time. */
  | { readonly kind: 'later'; readonly timeoutMs: number }
  /** Handed back: nothing was done. */
  | { readonly kind: 'release'; readonly reason?: string };

/** How serious a line is; lines of programs have none. */
export type LineLevel = NonNullable<HttpApi['LogLine']['level']>;

/** The members of a request that carry lines. */
export type SentLog = Pick<HttpApi['RenewClaim'], 'log' | 'logDropped'>;

/** How far an attempt is. */
export type Progress = NonNullable<HttpApi['RenewClaim']['progress']>;

/** The answer of a heartbeat about one claim. */
export type BeatAnswer = HttpApi['WorkRenewed']['claims'][number];
