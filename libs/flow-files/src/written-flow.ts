import type { JsonObject, JsonValue, TryEach } from '#core';
import type { KindName } from '#kinds';

/** The shapes that `flowFileSchema` lets through: a flow as its author wrote it. */
export type WrittenFlow = readonly WrittenStep[] | WrittenLongFlow;

export interface WrittenLongFlow {
  readonly description?: string;
  readonly input?: JsonObject;
  readonly constants?: JsonObject;
  readonly timeout?: WrittenDuration;
  readonly onTimeout?: 'cancel' | 'wait';
  readonly onFailure?: 'rollback' | 'hold' | { readonly hold: WrittenDuration };
  readonly output?: JsonValue;
  readonly labels?: Readonly<Record<string, string>>;
  readonly locks?: readonly WrittenLock[];
  readonly failureFlow?: string;
  readonly maxLive?: number;
  readonly steps: readonly WrittenStep[];
}

export interface WrittenLock {
  readonly name: string;
  readonly slots?: number;
}

interface WrittenCatch {
  readonly errors: readonly string[];
  readonly as?: string;
  readonly steps: readonly WrittenStep[];
}

/** A step: the members of any kind, and those of its own, as its kind is declared. */
export interface WrittenStep extends Readonly<Partial<Record<KindName, unknown>>> {
  readonly name?: string;
  readonly description?: string;
  readonly needs?: readonly string[];
  readonly if?: string | boolean;
  readonly optional?: boolean;
  readonly pivot?: boolean;
  readonly locks?: readonly WrittenLock[];
  readonly catch?: readonly WrittenCatch[];
  readonly normal?: WrittenAction;
  readonly rollback?: WrittenAction | null;
}

export interface WrittenAction {
  readonly module: string;
  readonly command: string;
  readonly timeout?: WrittenDuration;
  readonly attemptTimeout?: WrittenDuration;
  readonly retry?: number | WrittenRetry;
  readonly onCrash?: 'fail' | { readonly restarts: number };
  readonly parameters?: JsonObject;
}

interface WrittenWaits {
  readonly backoff?: 'fixed' | 'exponential';
  readonly delay?: WrittenDuration;
  readonly maxDelay?: WrittenDuration | null;
  readonly jitter?: boolean;
}

export interface WrittenRetry extends WrittenWaits {
  readonly attempts: number;
  readonly only?: readonly string[];
  readonly never?: readonly string[];
}

/** How often a list of steps is tried: a number of retries, or one of `attempts` and `forEach`. */
export type WrittenTries = number | WrittenRetry | TryEach;

export type WrittenDuration = string | number;
