import type { JsonObject, JsonValue } from '#core';

/** The shapes that `flowFileSchema` lets through: a flow as its author wrote it. */
export type WrittenFlow = readonly WrittenStep[] | WrittenLongFlow;

export interface WrittenLongFlow {
  readonly description?: string;
  readonly input?: JsonObject;
  readonly constants?: JsonObject;
  readonly timeout?: WrittenDuration;
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

/** A text `{% ... %}`, or the value itself. */
type WrittenCondition = string | boolean;

export interface WrittenCatch {
  readonly errors: readonly string[];
  readonly as?: string;
  readonly steps: readonly WrittenStep[];
}

interface AnyWrittenStep {
  readonly name?: string;
  readonly description?: string;
  readonly needs?: readonly string[];
  readonly if?: WrittenCondition;
  readonly optional?: boolean;
  readonly pivot?: boolean;
  readonly locks?: readonly WrittenLock[];
  readonly catch?: readonly WrittenCatch[];
}

interface MayBeUndone {
  readonly rollback?: WrittenAction | null;
}

interface WrittenCase {
  readonly name?: string;
  readonly when: WrittenCondition;
  readonly steps: readonly WrittenStep[];
}

interface WrittenLoop {
  readonly steps: readonly WrittenStep[];
  readonly while?: WrittenCondition;
  readonly until?: WrittenCondition;
  readonly max: number;
  readonly delay?: WrittenDuration;
}

interface WrittenLimits {
  readonly timeout?: WrittenDuration;
  readonly onTimeout?: 'fail' | 'continue';
}

/** One of `for`, `until` and `signal`. */
export interface WrittenWait extends WrittenLimits {
  readonly for?: WrittenDuration;
  readonly until?: string | number;
  readonly signal?: string;
}

export interface WrittenApprove extends WrittenLimits {
  readonly title: string;
  readonly roles?: readonly string[];
  readonly notBy?: 'starter';
}

/** One of `steps`, and `flow` with `parameters`. */
interface WrittenForeach {
  readonly in: string | readonly JsonValue[];
  readonly as: string;
  readonly concurrency?: number;
  readonly successPercent?: number;
  readonly steps?: readonly WrittenStep[];
  readonly flow?: string;
  readonly parameters?: string | JsonObject;
}

interface WrittenChild {
  readonly name: string;
  readonly version?: number;
  readonly parameters?: string | JsonObject;
}

interface WrittenDynamic {
  /** An expression. */
  readonly steps: string;
}

/** The members of a step of each kind. */
interface WrittenByKind {
  readonly normal: MayBeUndone & { readonly normal: WrittenAction };
  readonly group: {
    readonly group: readonly WrittenStep[];
    readonly retry?: number | WrittenGroupRetry;
    readonly timeout?: WrittenDuration;
  };
  readonly choice: {
    readonly choice: readonly WrittenCase[];
    readonly otherwise?: readonly WrittenStep[];
  };
  readonly parallel: {
    readonly parallel: Readonly<Record<string, readonly WrittenStep[]>>;
    readonly onBranchFailure?: 'cancel' | 'wait';
  };
  readonly loop: { readonly loop: WrittenLoop };
  readonly set: MayBeUndone & { readonly set: Readonly<Record<string, JsonValue>> };
  readonly wait: MayBeUndone & { readonly wait: WrittenWait };
  readonly approve: MayBeUndone & { readonly approve: WrittenApprove };
  readonly succeed: { readonly succeed: true | { readonly output: JsonValue } };
  readonly fail: { readonly fail: { readonly code: string; readonly message: string } };
  readonly foreach: { readonly foreach: WrittenForeach };
  readonly flow: { readonly flow: WrittenChild };
  readonly dynamic: { readonly dynamic: WrittenDynamic };
}

/** Name of a kind of step: the member that makes it. */
export type WrittenKind = keyof WrittenByKind;

/** A step of one kind. */
export type WrittenOf<K extends WrittenKind> = AnyWrittenStep &
  WrittenByKind[K] & { readonly [N in Exclude<WrittenKind, K>]?: undefined };

/** A step; the member that says what to do is its kind. */
export type WrittenStep = { [K in WrittenKind]: WrittenOf<K> }[WrittenKind];

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

/** One of `attempts`, and `forEach` with `as`. */
type WrittenGroupRetry =
  | (WrittenWaits & { readonly attempts: number; readonly forEach?: undefined })
  | { readonly forEach: string | readonly JsonValue[]; readonly as: string };

export type WrittenDuration = string | number;
