import type { JsonObject } from '#core';

/** The number of the worker protocol that this library speaks. */
export const WORKER_PROTOCOL = 1;

/** The form of a program of one direction: forward, or back. */
type Direction = 'normal' | 'rollback';

/** An action that the gateway handed out. Durations are milliseconds from when it was asked for. */
export interface WorkItem {
  /** Names this attempt in every further request; says nothing else. */
  readonly claim: string;
  readonly taskId: string;
  readonly flow: string;
  readonly step: string;
  readonly run: string;
  readonly direction: Direction;
  readonly module: string;
  readonly command: string;
  readonly parameters: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  /** Outputs of the earlier steps, by their names. */
  readonly results: JsonObject;
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** The idempotency key of the normal action. */
  readonly forwardKey: string;
  /** In a rollback: how the normal action ended, as far as that is known. */
  readonly forward?: {
    readonly state: 'failed' | 'succeeded' | 'unknown';
    readonly output: JsonObject | null;
  };
  readonly fencingToken: number;
  readonly completionToken: string;
  /** How long the poll had waited: the times of the item count from that long after it was sent. */
  readonly waitedMs?: number;
  readonly leaseMs: number;
  /** Null: the action has no time limit. */
  readonly timeLeftMs: number | null;
  readonly attemptTimeLeftMs: number | null;
  /** Nothing may be done before a heartbeat was answered with `held`. */
  readonly confirm: boolean;
  readonly traceparent: string | null;
}

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

/** A line of an attempt, as a request carries it. */
export interface SentLine {
  readonly message: string;
  readonly level?: LineLevel;
  /** Milliseconds between the line and the sending of the request. */
  readonly agoMs: number;
}

/** How serious a line is; lines of programs have none. */
export type LineLevel = 'debug' | 'info' | 'warn' | 'error';

/** How far an attempt is. */
export interface Progress {
  /** A name of 1 to 64 of A-Z, a-z, 0-9 and `._-`. */
  readonly state?: string;
  /** 0 to 100. */
  readonly percent?: number;
  /** At most 500 characters. */
  readonly message?: string;
}

/** The answer of a heartbeat about one claim. */
export interface BeatAnswer {
  readonly claim: string;
  readonly state: 'cancelled' | 'ended' | 'gone' | 'held' | 'lost';
  readonly reason?: string;
  readonly leaseMs?: number;
  readonly stopWithinMs?: number;
}
