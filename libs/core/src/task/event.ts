import type { AttemptFailure, EntryWait, FailureName } from './failure.js';
import type { JsonObject } from '../json/json.js';
import type { Resource } from './journal.js';
import type { ChildCounts, ChildrenAnew, ChildrenWish, ChildResult } from './parent.js';
import type { Answer } from './question.js';
import type { TaskLimits } from './task-size.js';
import type { ActionRef } from './action-ref.js';

/** An executor takes a queued action. Ignored unless the message's attempt is the next one. */
export interface Claimed extends ActionRef {
  readonly kind: 'claimed';
  readonly attempt: number;
  /** The session of the process that takes it, or the worker. */
  readonly owner: string;
  /** Of a worker; absent: a session keeps the lease. */
  readonly worker?: WorkerClaim;
}

/** The terms on which a worker takes an action. */
export interface WorkerClaim {
  /** How long its lease lasts from a heartbeat on, in milliseconds. */
  readonly lengthMs: number;
  /** Id of its poll; null: it has none. */
  readonly poll: string | null;
  /** The build of its code; absent: it does not say. */
  readonly build?: string;
}

/** A report of a claim's holder; ignored unless `token` is the one it was given last. */
interface Report extends ActionRef {
  readonly token: number;
}

/** A worker is still at work: its lease lasts longer, unless the task does not want the action. */
export interface Renewed extends Report {
  readonly kind: 'renewed';
}

/** The outcome of an attempt as a worker tells it. */
export type WorkerOutcome = Succeeded | NotFinished | CompletesLater | Failed | HandedBack;

/** A worker tells an outcome. The same once more changes nothing; a late one is remembered. */
export interface WorkerReported extends MayHaveSecrets {
  readonly kind: 'worker_reported';
  readonly outcome: WorkerOutcome;
  /** Tells this outcome from others. */
  readonly hash: string;
  readonly worker: string;
}

/** The command is done. */
export interface Succeeded extends Report, MayHaveSecrets {
  readonly kind: 'succeeded';
  readonly output: JsonObject | null;
  /** Things that the command has made outside, or has removed; absent: its author says none. */
  readonly creates?: readonly Resource[] | undefined;
  readonly released?: readonly Resource[] | undefined;
}

/** The command goes on elsewhere: look again in `afterMs`. */
export interface NotFinished extends Report {
  readonly kind: 'not_finished';
  readonly afterMs: number;
  /** A description of the obstacle, where there was one. */
  readonly message?: string | undefined;
}

/** The command goes on elsewhere, and a person or system outside says how it ended. */
export interface CompletesLater extends Report {
  readonly kind: 'completes_later';
  /** For how long it is waited for; null: while there is time for the action. */
  readonly timeoutMs: number | null;
}

/** An attempt failed. */
export interface Failed extends Report, AttemptFailure {
  readonly kind: 'failed';
}

/** The holder saw the end of the time for all attempts. */
export interface TimedOut extends Report {
  readonly kind: 'timed_out';
  readonly message: string;
}

/**
 * The holder gives the action back unfinished, because it is stopping. Costs no attempt of the
 * budget; an action that must not be started twice (`onCrash: 'fail'`) has failed.
 */
export interface HandedBack extends Report {
  readonly kind: 'handed_back';
  readonly message: string;
  /** The command was not entered, and is to wait; absent: another holder may start it at once. */
  readonly wait?: EntryWait | undefined;
  /** The action did not reach the worker: the claim counts for nothing. */
  readonly isUnseen?: true;
}

/** Commands by their modules. */
export type CommandSets = ReadonlyMap<string, ReadonlySet<string>>;

/** The clock: does everything whose time has come. */
export interface Tick {
  readonly kind: 'tick';
  /**
   * Modules whose queue is still long, so that nothing is sent to them again yet, with the time
   * after which to look at what waits for them again, in milliseconds.
   */
  readonly crowded: ReadonlyMap<string, number>;
  /**
   * Modules that no message reaches now, because the broker is away: what is queued for them stays
   * due as it is, so that an outage makes no wait longer.
   */
  readonly unreachable?: readonly string[];
  /**
   * Commands that no executor of their modules has, though the modules are served: nothing is sent
   * for what is queued for them, as nobody could take it.
   */
  readonly unserved?: CommandSets;
  /** Commands that were among these, and that an executor has now: what waits for them is sent. */
  readonly arrived?: CommandSets;
  /**
   * Sessions that are known to be over: the leases that they own are lost. A lease of any other
   * session stays, however long its action runs.
   */
  readonly ended?: ReadonlySet<string>;
}

/**
 * The only process that can run this task's commands has started again: leases of its former lives
 * are void and messages in its memory are gone. Only the standalone deployment may say this.
 */
export interface Restarted {
  readonly kind: 'restarted';
  readonly owner: string;
}

/** A person's action. `key` makes a repetition of the same request harmless. */
export interface PersonsAction {
  readonly actor: string;
  readonly reason: string;
  readonly key: string | null;
}

/**
 * Stop going forward and undo everything that ran; or, with the name of one of the task's own
 * steps, that step and everything that needs it, and then wait for a person.
 */
export interface RollbackRequested extends PersonsAction {
  readonly kind: 'rollback_requested';
  readonly to?: string | undefined;
}

/** Undo a task that succeeded. */
export interface UndoRequested extends PersonsAction {
  readonly kind: 'undo_requested';
  /**
   * Its parent goes back, so that past a point of no return a person is called in place of a
   * refusal. Absent: a person asked.
   */
  readonly isByParent?: true;
}

/** Stop for good without undoing. */
export interface TerminateRequested extends PersonsAction {
  readonly kind: 'terminate_requested';
}

/**
 * Failed rollbacks, or the failed steps that the task is on hold for, get a fresh retry budget, and
 * the task goes on.
 */
export interface RetryRequested extends PersonsAction, MayHaveSecrets {
  readonly kind: 'retry_requested';
  /** Parameters that the retried steps, and those that have not begun, see from now on. */
  readonly parameters?: JsonObject | undefined;
  /** Default: `failed` where one of a step's child tasks has succeeded, else `all`. */
  readonly children?: ChildrenWish | undefined;
}

/**
 * A step counts as undone by hand, or as done with this output: the id of its run, or the name of
 * one of the task's own.
 */
export interface SkipRequested extends PersonsAction, MayHaveSecrets {
  readonly kind: 'skip_requested';
  readonly step: string;
  /** Of a step that counts as done; default: it gave nothing back. */
  readonly output?: JsonObject | undefined;
}

/** Start nothing more, in either direction, until the task is resumed. Running attempts end. */
export interface PauseRequested extends PersonsAction {
  readonly kind: 'pause_requested';
}

/** A paused task goes on in its direction. */
export interface ResumeRequested extends PersonsAction {
  readonly kind: 'resume_requested';
}

/**
 * The named step and everything that needs it are undone; then the task goes forward again from
 * there, by new runs.
 */
export interface ResetRequested extends PersonsAction, MayHaveSecrets {
  readonly kind: 'reset_requested';
  /** Name of the step, one of the task's own. */
  readonly to: string;
  /** Parameters that the new runs, and those that have not begun, see beside the request's. */
  readonly parameters?: JsonObject | undefined;
  /**
   * Which child tasks of the step are begun again. Unless it is `all`, the step itself is not
   * undone and its other child tasks stay. Default: `all`.
   */
  readonly children?: 'all' | ChildrenAnew | undefined;
}

/** It is known what the templates of a step come to. */
export interface Answered extends ActionRef {
  readonly kind: 'answered';
  /** The id of the question. */
  readonly question: string;
  readonly answer: Answer;
}

/**
 * A person or system outside tells the task something that a step of it waits for, now or later.
 */
export interface SignalReceived extends PersonsAction {
  readonly kind: 'signal_received';
  readonly name: string;
  readonly payload: JsonObject;
}

/** It is known what the locks of a ticket are called. */
export interface LocksNamed {
  readonly kind: 'locks_named';
  /** Number of the ticket. */
  readonly number: number;
  readonly answer: Answer;
}

/** All locks of a ticket are held, in the store that keeps the lines. */
export interface LocksHeld {
  readonly kind: 'locks_held';
  /** Number of the ticket. */
  readonly number: number;
}

/** A person answers a step that asks for a yes or no. */
export interface Judged extends PersonsAction {
  readonly kind: 'judged';
  /** The id of its run, or the name of one of the task's own steps. */
  readonly step: string;
  readonly isApproved: boolean;
}

/**
 * A person or system outside says how an attempt ended that was handed to them. Its `key` is made
 * of what was said: the same once more is a repetition. A person who was not given the token says
 * it with a reason.
 */
export interface Completed extends PersonsAction, MayHaveSecrets {
  readonly kind: 'completed';
  readonly direction: 'normal' | 'rollback';
  /** Position of the step. */
  readonly step: number;
  /** The attempt that they were given the token of. */
  readonly attempt: number;
  readonly result: { readonly output: JsonObject | null } | { readonly failure: AttemptFailure };
}

/**
 * Everything that can happen to a task. A new one is a member here, a file in `transitions/`, and a
 * table row.
 */
export type TaskEvent =
  | Claimed
  | Renewed
  | WorkerReported
  | Succeeded
  | NotFinished
  | CompletesLater
  | Failed
  | TimedOut
  | HandedBack
  | Tick
  | Restarted
  | RollbackRequested
  | UndoRequested
  | TerminateRequested
  | RetryRequested
  | SkipRequested
  | PauseRequested
  | ResumeRequested
  | ResetRequested
  | Answered
  | SignalReceived
  | Judged
  | Completed
  | ChildrenCounted
  | LocksNamed
  | LocksHeld
  | FailureFlowTold
  | AlertTold;

/** Waits that the protocol works with, in milliseconds. */
export interface Timing {
  /** A queued action nobody claimed is sent again after this, then with doubled waits. */
  readonly redispatchAfterMs: number;
  /** Upper bound of these waits. */
  readonly redispatchMaxMs: number;
  /** The next alert task is started after this while nobody acts. */
  readonly alertRepeatMs: number;
  /** A running action is looked at so long after the time for its attempt is over. */
  readonly overdueAfterMs: number;
}

/** Time, chance and what an operator set, as arguments. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** In [0, 1). */
  readonly chance: number;
  readonly timing: Timing;
  /** Default: `DEFAULT_LIMITS`. */
  readonly limits?: TaskLimits | undefined;
}

/** The waits used where nobody set others. */
export const DEFAULT_TIMING: Timing = Object.freeze({
  redispatchAfterMs: 5_000,
  redispatchMaxMs: 600_000,
  alertRepeatMs: 14_400_000,
  overdueAfterMs: 30_000,
});

/** The task of the failure flow is stored, or it is known why it cannot be. */
export interface FailureFlowTold {
  readonly kind: 'failure_flow_told';
  /** Null: it cannot be started, as `message` says. */
  readonly taskId: string | null;
  readonly message?: string;
}

/** The alert task of the task is stored. */
export interface AlertTold {
  readonly kind: 'alert_told';
  /** Which one: `Alert.number`. */
  readonly number: number;
  /** Its own id, or that of an earlier one that is still under way. */
  readonly taskId: string;
}

/** The child tasks of a step were counted. */
export interface ChildrenCounted extends MayHaveSecrets {
  readonly kind: 'children_counted';
  /** Which child tasks: the `run` of their `parent`. */
  readonly run: string;
  readonly counts: ChildCounts;
  /** The version of the flow that they run, from now on; absent: it is known, or they run none. */
  readonly version?: number | undefined;
  /** Numbers of the items that are begun again, in ascending order; absent: they are known. */
  readonly chosen?: readonly number[] | undefined;
  /** The child task in whose place the only one of them comes is undone; absent: it is not so. */
  readonly isReplaced?: boolean | undefined;
  /** Why there can be no more of them: one of `FAILURE_CODES` and a sentence; absent: there can. */
  readonly code?: FailureName | undefined;
  readonly message?: string | undefined;
  /** The first of them, in their order, once all have ended. */
  readonly results?: readonly ChildResult[] | undefined;
}

/** An event that may bring values along which are sealed. */
interface MayHaveSecrets {
  /** Absent: none of them is. */
  readonly hasSecrets?: true;
}

/** The event of a kind. */
export type EventOf<K extends TaskEvent['kind']> = Extract<TaskEvent, { readonly kind: K }>;
