import type { JsonObject } from '#core';

/** The shapes that `flowFileSchema` lets through: a flow as its author wrote it. */
export type WrittenFlow = readonly WrittenStep[] | WrittenLongFlow;

export interface WrittenLongFlow {
  readonly description?: string;
  readonly input?: JsonObject;
  readonly timeout?: WrittenDuration;
  readonly onFailure?: 'rollback' | 'hold' | { readonly hold: WrittenDuration };
  readonly steps: readonly WrittenStep[];
}

interface AnyWrittenStep {
  readonly name?: string;
  readonly description?: string;
  readonly needs?: readonly string[];
}

export interface WrittenCommandStep extends AnyWrittenStep {
  readonly normal: WrittenAction;
  readonly rollback?: WrittenAction | null;
  readonly group?: undefined;
}

export interface WrittenGroupStep extends AnyWrittenStep {
  readonly group: readonly WrittenStep[];
  readonly retry?: number | WrittenRetry;
  readonly timeout?: WrittenDuration;
}

export type WrittenStep = WrittenCommandStep | WrittenGroupStep;

export interface WrittenAction {
  readonly module: string;
  readonly command: string;
  readonly timeout?: WrittenDuration;
  readonly attemptTimeout?: WrittenDuration;
  readonly retry?: number | WrittenRetry;
  readonly onCrash?: 'fail' | { readonly restarts: number };
  readonly parameters?: JsonObject;
}

export interface WrittenRetry {
  readonly attempts: number;
  readonly backoff?: 'fixed' | 'exponential';
  readonly delay?: WrittenDuration;
  readonly maxDelay?: WrittenDuration | null;
  readonly jitter?: boolean;
}

export type WrittenDuration = string | number;
