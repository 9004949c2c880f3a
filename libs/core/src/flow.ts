import type { JsonObject } from './json.js';

/**
 * How the wait between two attempts grows: none at all, the same each time, or doubled each time.
 */
export type Backoff = 'none' | 'fixed' | 'exponential';

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
}

/**
 * What becomes of an action whose attempt was lost with its process: it is started again, at most
 * so many times (0 to 100) besides its retries, or `fail`: it has failed, and is never started a
 * second time by itself.
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
   * Constants of the flow for this action alone; they win over everything else of the same name.
   */
  readonly parameters: JsonObject | null;
}

/** What every entry of a list of steps has, whatever it does. */
interface AnyStep {
  /** Unique within its list. */
  readonly name: string;
  /** Positions, in the same list, of the steps that must have succeeded before this one starts. */
  readonly needs: readonly number[];
}

/** A step that is a command, and maybe another one that undoes it. */
export interface CommandStep extends AnyStep {
  readonly normal: Action;
  /** Null: nothing to undo; the way back passes it over. */
  readonly rollback: Action | null;
  readonly group?: undefined;
}

/** A nested saga: a list of steps that is undone as a whole and may then be tried again. */
export interface GroupStep extends AnyStep {
  readonly group: readonly StepPlan[];
  /** When the whole list, once undone, is tried again. */
  readonly retry: RetryPolicy;
  /**
   * Bounds the way forward of all tries together, in milliseconds, counted from the first start;
   * null: none.
   */
  readonly timeoutMs: number | null;
  readonly normal?: undefined;
  readonly rollback?: undefined;
}

/**
 * One entry of a list of steps: what to do, how to undo it, and what must be done before. The
 * member that says what to do is its kind.
 */
export type StepPlan = CommandStep | GroupStep;

/**
 * What becomes of a task when a step of its own has failed for good: it rolls back, or it waits for
 * a person; after `holdMs`, unless that is null, it rolls back by itself.
 */
export type FailurePolicy = 'rollback' | { readonly holdMs: number | null };

/** A flow as written by its author, checked and with every default filled in. */
export interface FlowDefinition {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the request's parameters; null: anything is accepted. */
  readonly input: JsonObject | null;
  /**
   * Bounds the way forward of the whole task, in milliseconds, counted from its creation; null:
   * none.
   */
  readonly timeoutMs: number | null;
  /** Absent: `rollback`. */
  readonly onFailure?: FailurePolicy;
  readonly steps: readonly StepPlan[];
}

/** A flow definition as stored: immutable once it has its number. */
export interface FlowVersion {
  readonly definition: FlowDefinition;
  /** 1 for the first stored text of this name, one more for each different one after it. */
  readonly version: number;
  /** SHA-256 of the definition, hex: equal definitions share a version. */
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Timeout of an action whose author gave none. */
export const DEFAULT_TIMEOUT_MS = 300_000;

/** What a crash costs a normal action whose author said nothing about it. */
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
