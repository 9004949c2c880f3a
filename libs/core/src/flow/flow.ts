import type { KindName, Kinds, Members } from '#kinds';
import type { Action, RetryPolicy } from './action.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { LockPlan } from './lock-plan.js';

/**
 * JSON in which a text `{% ... %}`, marks included, is an expression: it stands for what that comes
 * to at the moment when the step is reached.
 */
export type Template = JsonValue;

/** Steps that run once a step has failed with one of these errors and was undone. */
export interface CatchClause {
  /** Codes of failures; `*`: any. */
  readonly errors: readonly string[];
  /** Name under which the steps see `{code, message, step}`; null: they do not. */
  readonly as: string | null;
  readonly steps: readonly StepPlan[];
}

/** The members that every step has, whatever its kind. Absent members say nothing. */
interface AnyStep {
  /** Unique within its list. */
  readonly name: string;
  /** Positions, in the same list, of the steps that must have succeeded before this one starts. */
  readonly needs: readonly number[];
  /** Where this comes to false, the step is passed over. */
  readonly if?: Template;
  /** Once it has failed and was undone, it is passed over. */
  readonly optional?: true;
  /** Looked through in their order; the first that names the error runs. */
  readonly catch?: readonly CatchClause[];
  /** Once it has succeeded, nothing goes back past it by itself. */
  readonly pivot?: true;
  /** Held while it runs, and while it is undone. */
  readonly locks?: readonly LockPlan[];
}

/** A list of steps with a name of its own. */
interface Branch {
  /** Unique within its step. */
  readonly name: string;
  readonly steps: readonly StepPlan[];
}

/** One try after the other, each with one value, until one succeeds. */
export interface TryEach {
  readonly forEach: Template;
  readonly as: string;
}

/** The values of members in a plan, by the types that declarations of kinds name. */
interface PlanValues {
  readonly text: string;
  /** A name of a flow, or an expression. */
  readonly flow: string;
  readonly name: string;
  readonly 'part name': string;
  readonly code: string;
  readonly whole: number;
  readonly number: number;
  readonly names: readonly string[];
  readonly errors: readonly string[];
  /** Milliseconds. */
  readonly duration: number;
  /** Milliseconds, or an expression. */
  readonly computedDuration: number | string;
  /** Milliseconds since 1970, or an expression. */
  readonly computedMoment: number | string;
  readonly condition: Template;
  readonly list: Template;
  readonly parameters: Template;
  readonly expression: Template;
  readonly object: Readonly<Record<string, Template>>;
  readonly json: Template;
  readonly tries: RetryPolicy | TryEach;
  readonly action: Action;
  readonly undo: Action;
  readonly steps: readonly StepPlan[];
  readonly branches: readonly Branch[];
}

/** The value of a declared member in a plan, where its author wrote it. */
type PlanValue<M> = M extends { readonly words: readonly (infer W)[] }
  ? W
  : M extends { readonly forms: readonly (infer F)[] }
    ? M extends { readonly entry: string }
      ? readonly PlanForm<F, M>[]
      : PlanForm<F, M>
    : M extends { readonly type: infer T extends keyof PlanValues }
      ? PlanValues[T]
      : never;

/** An object of a declared form; of one that may be written as `true`, its members may be null. */
type PlanForm<F, M> = F extends Members
  ? M extends { readonly orTrue: true }
    ? { readonly [N in keyof F]: PlanValue<F[N]> | null }
    : PlanMembers<F>
  : never;

/** Null where a plan says by it that the author wrote nothing. */
type Unwritten<M> = M extends { readonly optional: 'null' } | { readonly default: null }
  ? null
  : never;

/** Members that a plan may have or not. */
type Absent<Ms> = {
  [N in keyof Ms]: Ms[N] extends { readonly optional: 'absent' } ? N : never;
}[keyof Ms];

/** The name of a member in a plan: durations are in milliseconds there. */
type PlanName<N, M> = M extends { readonly type: 'duration' } ? `${N & string}Ms` : N;

/** Declared members as a plan has them, every default filled in. */
type PlanMembers<Ms> = {
  readonly [N in keyof Ms as N extends Absent<Ms> ? never : PlanName<N, Ms[N]>]:
    | PlanValue<Ms[N]>
    | Unwritten<Ms[N]>;
} & {
  readonly [N in keyof Ms as N extends Absent<Ms> ? PlanName<N, Ms[N]> : never]?: PlanValue<Ms[N]>;
};

/** The members that make a step of one kind. */
type Making<K extends KindName> = PlanMembers<Kinds[K]['members']>;

/** A step of one kind. */
export type StepOf<K extends KindName> = AnyStep & Making<K>;

/** Members that steps of other kinds have, and one kind has not. */
type Others<K extends KindName> = Exclude<
  { [N in KindName]: keyof Making<N> }[KindName],
  keyof Making<K>
>;

/**
 * One entry of a list of steps: what to do, how to undo it, and what must be done before. The
 * member that says what to do is its kind.
 */
export type StepPlan = {
  [K in KindName]: StepOf<K> & { readonly [N in Others<K>]?: undefined };
}[KindName];

/** A step that is a command, and maybe another one that undoes it. */
export type CommandStep = StepOf<'normal'>;

/**
 * The reaction of a task when a step of its own has failed for good. `rollback`: it rolls back.
 * `holdMs`: it waits for a person, and rolls back by itself after that many milliseconds; null: it
 * waits without end.
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
  /** When its time is over, running commands go on to their end; absent: they are told to stop. */
  readonly onTimeout?: 'wait';
  /** Join the parameters, below the request's; absent: none. */
  readonly constants?: JsonObject;
  /** Of the task once it has succeeded; absent: null. */
  readonly output?: Template;
  /** Added to those of the request, which win; absent: none. */
  readonly labels?: Readonly<Record<string, Template>>;
  /** Held from the first step to the very end, way back included; absent: none. */
  readonly locks?: readonly LockPlan[];
  /** Name of the flow that is started once a task has ended other than succeeded; absent: none. */
  readonly failureFlow?: string;
  /**
   * While this many tasks of the flow, of whatever version, are not final, nobody starts another
   * one; at least 1. Child tasks are neither refused nor counted. Absent: any number.
   */
  readonly maxLive?: number;
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
