import type { FlowDefinition, StepPlan } from './flow.js';
import type { JsonObject } from './json.js';
import type { JournalEntry } from './journal.js';
import type { TaskStatus } from './status.js';

/** States of a step's normal action. */
export type NormalState =
  'pending' | 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'timed_out' | 'skipped';

/** States of a step's rollback action. `none`: there is nothing to undo so far. */
export type RollbackState =
  'none' | 'pending' | 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped';

/** State of any action's run. */
export type RunState = NormalState | RollbackState;

/** The right of one executor process to run one action until a moment. */
export interface Lease {
  /** The process instance that holds it; new with every start of a process. */
  readonly owner: string;
  /** Fencing token: grows by one with every claim within the task, never given twice. */
  readonly token: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Everything that changes while one action is run. Times are milliseconds since 1970. */
export interface ActionRun {
  readonly state: RunState;
  /** 0: nothing went wrong (yet); else a number of `FAILURE_CODES`. */
  readonly code: number;
  readonly message: string | null;
  /** First start; null: never started. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** How often the action was started. */
  readonly attempts: number;
  /**
   * How many of these count against the retry budget ("not finished" and handed-back ones do not).
   */
  readonly spent: number;
  /** Messages sent since the action was queued last. */
  readonly dispatches: number;
  /** Queued: when a lost message is suspected. Waiting: when to run again. Else null. */
  readonly dueAt: number | null;
  /** End of the time for all attempts together; null before the first start. */
  readonly deadline: number | null;
  /**
   * `again`: the command said *not finished*, so the next start is a look that costs no attempt.
   * `last`: the same, at the deadline, because completion is looked at before the timeout.
   */
  readonly look: 'none' | 'again' | 'last';
  /** Present exactly while running. */
  readonly lease: Lease | null;
  /** What the command gave back; only a normal action has one. */
  readonly output: JsonObject | null;
}

/** Both halves of a step at run time; `rollback` is null where the plan has none. */
export interface StepRuns {
  readonly normal: ActionRun;
  readonly rollback: ActionRun | null;
}

/** What a task was created with. Never changes afterwards. */
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
  /** The expanded flow; the same object for all tasks of one flow version within a process. */
  readonly steps: readonly StepPlan[];
}

/** A person's action that was already carried out under an idempotency key. */
export interface DoneAction {
  readonly key: string;
  readonly action: string;
}

/**
 * One run of a flow: the one stored document that is the truth about it. Only `transition` makes a
 * new one; parts that did not change are the same objects in both.
 */
export interface Task {
  readonly plan: TaskPlan;
  /** Grows by one with every commit; every write is conditional on it. Starts at 1. */
  readonly revision: number;
  readonly status: TaskStatus;
  /** Why the task failed; null while nothing went wrong. */
  readonly message: string | null;
  /** Position of the furthest step the task has reached; frozen once a step failed. */
  readonly cursor: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** When somebody must look at the task again. Null exactly when the status is final. */
  readonly wakeAt: number | null;
  /** The last fencing token given. */
  readonly token: number;
  readonly runs: readonly StepRuns[];
  /** The alert of a failed rollback on its way to the on-call; null: none was raised. */
  readonly alert: ActionRun | null;
  /** Position of the step the alert is about. */
  readonly alertStep: number | null;
  readonly doneActions: readonly DoneAction[];
  readonly journal: readonly JournalEntry[];
  /** `seq` of the last journal entry. */
  readonly journalSeq: number;
}

/** What a new task is made of, besides its flow. */
export interface TaskRequest {
  readonly parameters: JsonObject;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly priority?: number | undefined;
  readonly idempotencyKey?: string | null;
  readonly requestHash?: string | null;
  readonly traceparent?: string | null;
  /** Who asked. */
  readonly actor?: string;
}

/** The flow a task is made from. */
export interface FlowOfTask {
  readonly definition: FlowDefinition;
  readonly version: number;
}
