import type { ParentOfTask } from './parent.js';
import type { FailurePolicy, FlowDefinition, StepPlan } from '../flow/flow.js';
import type { JsonObject } from '../json/json.js';
import type { Journal } from './journal.js';
import type { StartLimits } from '../flow/start-limits.js';
import type { Scope, Turn } from './scope.js';
import type { EarlySignal } from './signals.js';
import type { Standing, TaskStatus } from './status.js';
import type { LockPlan } from '../flow/lock-plan.js';
import type { LockTicket } from './lock-ticket.js';
import type { TaskIndex } from './task-index.js';
import type { StepRuns } from './action-run.js';
import type { KnownReport } from './worker-report.js';

/** The plan with which a task was created. Never changes afterwards. */
export interface TaskPlan {
  /** Format of the stored document. */
  readonly v: 1;
  readonly taskId: string;
  readonly flow: string;
  readonly flowVersion: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly parameters: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  /** Seconds of head start over other tasks. */
  readonly priority: number;
  readonly idempotencyKey: string | null;
  /** Hash of the request, to tell a repeated request from a different one under the same key. */
  readonly requestHash: string | null;
  /** End of the way forward for the whole task, milliseconds since 1970; null: no limit. */
  readonly deadline: number | null;
  /** W3C trace context of the request, handed on in every message. */
  readonly traceparent: string | null;
  readonly onFailure: FailurePolicy;
  /** Of the flow: what runs when the time is over goes on to its end; absent: it is to stop. */
  readonly onTimeout?: 'wait';
  /** Of the flow: they join the parameters, below the request's; null: none. */
  readonly constants: JsonObject | null;
  /** Id of the task whose flow and parameters a person had started anew; null: nobody did. */
  readonly restartOf: string | null;
  /** The task of which this one is a child; null: it is nobody's. */
  readonly parent: ParentOfTask | null;
  /** Of the flow: what the task holds from its first step to its end; null: nothing. */
  readonly locks: readonly LockPlan[] | null;
  /** Of the flow: what is started once the task has ended other than succeeded; null: nothing. */
  readonly failureFlow: string | null;
  /** The step that the task runs by itself, the last of its steps; absent: it runs all of them. */
  readonly only?: OnlyStep;
  /**
   * References to secrets elsewhere that the request, or the task around this one, gave it; absent:
   * none. No other ones are resolved among its values but those of its flow and of edits.
   */
  readonly references?: readonly string[];
  /** Binds the task and all that it starts; absent: nothing does. */
  readonly limits?: StartLimits;
  /** The person who started the task, or the one around it; absent: nobody knows who it is. */
  readonly starter?: TaskStarter;
  /** The request that the task was made for; absent: a task around it made it. */
  readonly origin?: TaskOrigin;
  /** The expanded flow; the same object for all tasks of one flow version within a process. */
  readonly steps: readonly StepPlan[];
}

/** The person who started a task, by the credential that was shown for it. */
export interface TaskStarter {
  readonly name: string;
  /** Of the key, `<issuer>#<subject>` of a token, or another one with a `#`. */
  readonly keyId: string;
  /** The person who made the key; absent: it was made in the store itself. */
  readonly madeBy?: string;
}

/** Members of the origin of a task: lists find tasks by each, over an index. */
export const ORIGIN_NAMES = ['requestId', 'client', 'operator'] as const;

/**
 * The request that a task was made for: its id, the address of its client, and the name under which
 * its operator acted. Absent: it had none.
 */
export type TaskOrigin = { readonly [Name in (typeof ORIGIN_NAMES)[number]]?: string };

/** The one step of a flow that a task runs by itself. */
export interface OnlyStep {
  /** Name of one of the flow's own steps. */
  readonly step: string;
  /** Outputs that steps before it count as having given, by the names of these steps. */
  readonly given: Readonly<Record<string, JsonObject>>;
}

/** A person's action that was carried out. */
export interface DoneAction {
  /** Idempotency key; null: it was asked for without one. */
  readonly key: string | null;
  /** `rollback`, `terminate`, `retry`, `skip`, `pause`, `resume`, `reset` or `undo`. */
  readonly action: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** How the failure flow of a task that ended other than succeeded is started. */
export interface FailureTask {
  /** Id of the task that runs it, once that is stored; null: it is not so far, or cannot be. */
  readonly taskId: string | null;
  /** Why it cannot be started; null: nothing is known to be in its way. */
  readonly message: string | null;
  /** How often somebody was asked to start it. */
  readonly looks: number;
  /** When somebody is asked again, milliseconds since 1970; null: it is done with. */
  readonly dueAt: number | null;
}

/**
 * How the alert tasks of a task are started, which call a person because a rollback failed: one
 * after the other, until a person acts.
 */
export interface Alert {
  /** Number of the latest one that was asked for, from 1 on; 0: none was. */
  readonly number: number;
  /** Id of the one that was stored last, and that no person has answered; null: none is known. */
  readonly taskId: string | null;
  /** When this was known, milliseconds since 1970; null: none is known to be stored. */
  readonly sentAt: number | null;
  /** How often a process was asked to start the latest one; 0: there is none to start now. */
  readonly looks: number;
  /**
   * When a process is asked again, or for the next one where there is none to start, milliseconds
   * since 1970; null: a person has acted.
   */
  readonly dueAt: number | null;
}

/** Parameters that a person changed while the task was under way. */
export interface Edit {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: string;
  readonly values: JsonObject;
  /** The former values of these parameters, of those that had one. */
  readonly before: JsonObject;
  /** Ids of the runs that had begun before: they, and their undoing, go on with what they had. */
  readonly unseenBy: readonly string[];
  /** Ids of the actions that are tried again with it: in these it wins over all else. */
  readonly winsIn: readonly string[];
}

/**
 * One run of a flow: the one stored document that is the truth about it. Only `transition` makes a
 * new one; parts that did not change are the same objects in both.
 */
export interface Task extends Standing {
  readonly plan: TaskPlan;
  /** Grows by one with every commit; every write is conditional on it. Starts at 1. */
  readonly revision: number;
  /** Computed by `statusOf`; stored because tasks are looked for by it. No decision reads it. */
  readonly status: TaskStatus;
  /** Present exactly while `way` is `back`. */
  readonly turned: Turn | null;
  /** Why the task failed; null while nothing went wrong. */
  readonly message: string | null;
  /** Position of the furthest of its own steps the task has reached; frozen once one failed. */
  readonly cursor: number;
  readonly endedAt: number | null;
  /** When a person last had it go forward again: the time for all of it counts from then. */
  readonly resetAt: number | null;
  /** The oldest first. */
  readonly edits: readonly Edit[];
  /**
   * When somebody must look at the task again. Null when the status is final, and while the task is
   * paused with nothing under way.
   */
  readonly wakeAt: number | null;
  /** The last fencing token given. */
  readonly token: number;
  /**
   * The runs by their places: first those of the task's own steps, then a block for each scope that
   * was entered, in the order of `scopes`.
   */
  readonly runs: readonly StepRuns[];
  /** The scopes that were entered below the task itself, in the order in which they began. */
  readonly scopes: readonly Scope[];
  /** How its alert tasks are started; null: no rollback of it has failed. */
  readonly alert: Alert | null;
  readonly doneActions: readonly DoneAction[];
  /** Signals that nothing has waited for so far, the oldest first. */
  readonly signals: readonly EarlySignal[];
  /** Its tickets for locks that it holds or waits for, in the order in which it asked. */
  readonly locks: readonly LockTicket[];
  /** Null: it has no failure flow, or never ended other than succeeded. Kept when it goes on. */
  readonly failureTask: FailureTask | null;
  /**
   * Some of its values may be sealed: they are opened for commands alone, and masked for everybody
   * else. Once true, for ever.
   */
  readonly hasSecrets: boolean;
  readonly journal: Journal;
  /** `seq` of the last journal entry. */
  readonly journalSeq: number;
  /** The outcomes that workers told last, the oldest first. */
  readonly reports: readonly KnownReport[];
  /** Follows from the runs and is never stored; null: nobody has worked it out so far. */
  readonly index: TaskIndex | null;
}

/** The request for a new task, besides its flow. */
export interface TaskRequest {
  readonly parameters: JsonObject;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly priority?: number | undefined;
  readonly idempotencyKey?: string | null;
  readonly requestHash?: string | null;
  readonly traceparent?: string | null;
  readonly restartOf?: string | null;
  readonly parent?: ParentOfTask | null;
  /** Runs one step of the flow by itself. Default: all of them. */
  readonly only?: OnlyStep | undefined;
  /** Some of the parameters, or of what is given, are sealed. Default: none. */
  readonly hasSecrets?: boolean | undefined;
  /** References to secrets elsewhere that may be resolved among the parameters. Default: none. */
  readonly references?: readonly string[] | undefined;
  /** Binds the task and all that it starts. Default: nothing does. */
  readonly limits?: StartLimits | undefined;
  /** The person who asks for the task. Default: nobody knows who it is. */
  readonly starter?: TaskStarter | undefined;
  /** The request behind it. Default: none, as of a child task. */
  readonly origin?: TaskOrigin | undefined;
  /** The present owner of sealed values in the request. Default: to the task itself. */
  readonly sealedFor?: string | undefined;
  /** The actor of the request, for the journal. */
  readonly actor?: string;
  /** Why, where somebody said so; for the journal. */
  readonly reason?: string | null;
}

/** The flow a task is made from. */
export interface FlowOfTask {
  readonly definition: FlowDefinition;
  readonly version: number;
}
