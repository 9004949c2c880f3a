import type { Action, RetryPolicy } from './action.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { LockPlan } from '../locks/lock.js';

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

/** A step that is a command, and maybe another one that undoes it. */
export interface CommandStep extends AnyStep {
  readonly normal: Action;
  /** Null: nothing to undo; the way back passes it over. */
  readonly rollback: Action | null;
}

/** A nested saga: a list of steps that is undone as a whole and may then be tried again. */
export interface GroupStep extends AnyStep {
  readonly group: readonly StepPlan[];
  /** When the whole list, once undone, is tried again; with `forEach`, of which nothing counts. */
  readonly retry: RetryPolicy;
  /** Each value is tried, one after the other, until the list succeeds with one. */
  readonly forEach?: { readonly in: Template; readonly as: string };
  /** Bounds the way forward of all tries, in milliseconds from the first start; null: none. */
  readonly timeoutMs: number | null;
}

/** A list of steps with a name of its own. */
interface Branch {
  /** Unique within its step. */
  readonly name: string;
  readonly steps: readonly StepPlan[];
}

/** The first case whose condition holds is run, else `otherwise`, else nothing. */
interface ChoiceStep extends AnyStep {
  readonly choice: readonly (Branch & { readonly when: Template })[];
  readonly otherwise: readonly StepPlan[] | null;
}

/** Lists of steps that run beside each other. */
export interface ParallelStep extends AnyStep {
  readonly parallel: readonly Branch[];
  /** Whether a failed branch calls the others off, or they end before all is undone. */
  readonly onBranchFailure: 'cancel' | 'wait';
}

/** A list of steps that is run again and again. All rounds are undone, last first. */
export interface LoopStep extends AnyStep {
  readonly loop: {
    readonly steps: readonly StepPlan[];
    /** Exactly one of `while` and `until` is not null; asked after each round. */
    readonly while: Template | null;
    readonly until: Template | null;
    /** Rounds at most, 1 to 1,000. */
    readonly max: number;
    /** Wait between two rounds: milliseconds, or an expression; null: none. */
    readonly delay: number | string | null;
  };
}

/** Puts values into the parameters. */
interface SetStep extends AnyStep {
  readonly set: Readonly<Record<string, Template>>;
  readonly rollback: Action | null;
}

/** The end of a wait: after a duration, at a moment, or on a signal. */
export type Wait =
  | { readonly for: number | string }
  | { readonly until: number | string }
  | {
      readonly signal: string;
      /** Milliseconds; null: for as long as it takes. */
      readonly timeoutMs: number | null;
      readonly onTimeout: 'fail' | 'continue';
    };

/** Waits. A number is in milliseconds (`until`: since 1970), a text is an expression. */
interface WaitStep extends AnyStep {
  readonly wait: Wait;
  readonly rollback: Action | null;
}

/** Waits for a person's yes or no. */
export interface ApproveStep extends AnyStep {
  readonly approve: {
    readonly title: string;
    /** Roles that may answer; empty: whoever may act on the task. */
    readonly roles: readonly string[];
    /** The person who cannot say yes: the one who started the task. Absent: nobody is left out. */
    readonly notBy?: 'starter';
    /** Milliseconds; null: for as long as it takes. */
    readonly timeoutMs: number | null;
    readonly onTimeout: 'fail' | 'continue';
  };
  readonly rollback: Action | null;
}

/** Ends the task early and well, once what runs has ended. */
interface SucceedStep extends AnyStep {
  readonly succeed: { readonly output: Template | null };
}

/** Fails. */
interface FailStep extends AnyStep {
  readonly fail: { readonly code: string; readonly message: string };
}

/** A child task for each item of a list. Exactly one of `steps` and `flow` is not null. */
export interface ForeachStep extends AnyStep {
  readonly foreach: {
    readonly in: Template;
    /** Name under which a child sees its item. */
    readonly as: string;
    /** At a time, at least 1. */
    readonly concurrency: number;
    /** How many must succeed; less than 0 is 0, more than 100 is 100. */
    readonly successPercent: number;
    readonly steps: readonly StepPlan[] | null;
    /** Its name, or an expression. */
    readonly flow: string | null;
    /** Of each child besides its item; null: none. */
    readonly parameters: Template | null;
  };
}

/** One child task. */
interface FlowStep extends AnyStep {
  readonly flow: {
    /** May be an expression. */
    readonly name: string;
    /** Null: the newest when the step is reached. */
    readonly version: number | null;
    readonly parameters: Template | null;
  };
}

/** A scope whose steps are data: the value of an expression when the step is reached. */
interface DynamicStep extends AnyStep {
  readonly dynamic: { readonly steps: Template };
}

/** The members that make a step, and their steps. */
interface StepsByKind {
  readonly normal: CommandStep;
  readonly group: GroupStep;
  readonly choice: ChoiceStep;
  readonly parallel: ParallelStep;
  readonly loop: LoopStep;
  readonly set: SetStep;
  readonly wait: WaitStep;
  readonly approve: ApproveStep;
  readonly succeed: SucceedStep;
  readonly fail: FailStep;
  readonly foreach: ForeachStep;
  readonly flow: FlowStep;
  readonly dynamic: DynamicStep;
}

/** Name of a kind of step: the member that makes it. */
export type KindName = keyof StepsByKind;

/** Members that steps of other kinds have, and one kind has not. */
type Others<K extends KindName> = Exclude<
  KindName | 'rollback' | 'forEach' | 'otherwise' | 'onBranchFailure',
  keyof StepsByKind[K]
>;

/**
 * One entry of a list of steps: what to do, how to undo it, and what must be done before. The
 * member that says what to do is its kind.
 */
export type StepPlan = {
  [K in KindName]: StepsByKind[K] & { readonly [N in Others<K>]?: undefined };
}[KindName];

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
   * While so many tasks of the flow, of whatever version, are not final, nobody starts another one;
   * at least 1. Child tasks are neither refused nor counted. Absent: any number.
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
