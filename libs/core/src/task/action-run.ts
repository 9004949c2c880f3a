import type { JsonObject } from '../json/json.js';
import type { ExpiredClaim, LeaseTerms } from './lease-terms.js';

/** States of a step's normal action. */
export type NormalState =
  | 'pending'
  | 'queued'
  | 'running'
  | 'waiting'
  | 'succeeded'
  | 'failed'
  | 'timed_out'
  | 'terminated'
  | 'skipped';

/** States of a step's rollback action. `none`: there is nothing to undo so far. */
export type RollbackState =
  | 'none'
  | 'pending'
  | 'queued'
  | 'running'
  | 'waiting'
  | 'succeeded'
  | 'failed'
  | 'skipped';

/** State of any action's run. */
export type RunState = NormalState | RollbackState;

/**
 * The right of one process to run one action: of an executor for as long as its session lives, of
 * a worker until `dueAt` of the run.
 */
export interface Lease {
  /** The session of the executor, or the worker; new with every start of either. */
  readonly owner: string;
  /** Fencing token: grows by one with every claim within the task, never given twice. */
  readonly token: number;
  /** Of a worker's lease; absent: the session of an executor keeps it. */
  readonly terms?: LeaseTerms;
}

/** Everything that changes while one action is run. Times are milliseconds since 1970. */
export interface ActionRun {
  readonly state: RunState;
  /** 0: nothing went wrong (yet); else a number of `FAILURE_CODES`. */
  readonly code: number;
  /** The error code given by its command or its flow; null: `code` says enough. */
  readonly error: string | null;
  readonly message: string | null;
  /** First start; null: never started. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** How often the action was started. */
  readonly attempts: number;
  /**
   * How many of these were refused before the command was entered, so that they had no effect: its
   * parameters did not fit, or there was no such command.
   */
  readonly refused: number;
  /**
   * How many of these count against the retry budget: not those that were "not finished", handed
   * back, or lost and started again.
   */
  readonly spent: number;
  /** How many attempts were lost with their process; bounds how often that is no failure. */
  readonly crashes: number;
  /** Messages sent since the action was queued last. */
  readonly dispatches: number;
  /**
   * Queued: when a lost message is suspected. Waiting: when to run again. Running: when its holder
   * should long have reported, or the end of a worker's lease. Else null.
   */
  readonly dueAt: number | null;
  /**
   * Queued: its order time. Of all queued actions of a module the one with the smallest goes first.
   * Of one that is asked about: when it was first. Else null.
   */
  readonly orderAt: number | null;
  /** End of the time for all attempts together; null before the first start. */
  readonly deadline: number | null;
  /** While `deadline` is null: when the action is not to be started any more. Null: never. */
  readonly expiresAt: number | null;
  /**
   * `again`: the command said *not finished*, so the next start is a look that costs no attempt.
   * `last`: the same, at the deadline, because completion is looked at before the timeout.
   * `outside`: nobody looks, because somebody outside says how it ended.
   */
  readonly look: 'none' | 'again' | 'last' | 'outside';
  /** Present exactly while running; a step that holds steps is in nobody's hands. */
  readonly lease: Lease | null;
  /** The output of the command; only a normal action has one. */
  readonly output: JsonObject | null;
  /**
   * The values of its step's templates, once these were asked for; null: templates are used as
   * written.
   */
  readonly values: JsonObject | null;
  /**
   * Claims of workers that ended before a sign of life and count as no attempt; their commands may
   * have begun.
   */
  readonly unheld: number;
  /** The worker's claim that ended last without an outcome; null: none did since the last claim. */
  readonly expired: ExpiredClaim | null;
}

/**
 * Both halves of a step at run time; `rollback` is null where the plan has none. Of a step that
 * holds steps, `normal` runs while its scope is open and `rollback` while it goes back.
 */
export interface StepRuns {
  /** 1; each time a person resets the step, its fresh runs have one more. */
  readonly generation: number;
  readonly normal: ActionRun;
  readonly rollback: ActionRun | null;
}

/** A part of a document while the change that makes it is still being decided. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };

/**
 * A normal action that was never reached. One object for all of them, so that stores may know it by
 * identity.
 */
export const PENDING_RUN: ActionRun = Object.freeze<ActionRun>({
  state: 'pending',
  code: 0,
  error: null,
  message: null,
  startedAt: null,
  endedAt: null,
  attempts: 0,
  refused: 0,
  spent: 0,
  crashes: 0,
  dispatches: 0,
  dueAt: null,
  orderAt: null,
  deadline: null,
  expiresAt: null,
  look: 'none',
  lease: null,
  output: null,
  values: null,
  unheld: 0,
  expired: null,
});

/** A rollback with nothing to undo so far. One object for all of them. */
export const NOTHING_TO_UNDO: ActionRun = Object.freeze<ActionRun>({
  ...PENDING_RUN,
  state: 'none',
});

/** A rollback whose turn will come. One object for all of them. */
export const UNDO_PENDING: ActionRun = Object.freeze<ActionRun>({
  ...PENDING_RUN,
  state: 'pending',
});

/** Runs that have not begun. Stores give back these very objects. */
export const FRESH_RUNS: ReadonlySet<ActionRun> = new Set([
  PENDING_RUN,
  NOTHING_TO_UNDO,
  UNDO_PENDING,
]);

/** Whether the action has been started at least once. */
export function wasStarted(run: ActionRun): boolean {
  return run.startedAt !== null;
}

/**
 * Whether the action may have had an effect: some attempt of it was started and not refused before
 * its command was entered. An attempt of which nothing is known (a lost lease, a crash) counts as
 * one that was entered.
 */
export function mayHaveEffect(run: ActionRun): boolean {
  return run.attempts + run.unheld > run.refused;
}

/** Whether the action ended without having done what it was for. */
export function hasFailed({ state }: ActionRun): boolean {
  return state === 'failed' || state === 'timed_out' || state === 'terminated';
}

/**
 * Whether a step has failed and its undo was not begun. In a scope that goes forward, it is caught
 * or passed over once it is undone.
 */
export function waitsToBeForgiven({ normal, rollback }: StepRuns): boolean {
  return hasFailed(normal) && rollback?.state === 'pending';
}

/** Whether the action still has something coming: a message, a result, a timer. */
export function isActive(run: ActionRun): boolean {
  return run.state === 'queued' || run.state === 'running' || run.state === 'waiting';
}

/** A copy of a run in another state. Written out, because this is what an engine does most. */
export function copyRun(run: ActionRun, state: RunState): Draft<ActionRun> {
  return {
    state,
    code: run.code,
    error: run.error,
    message: run.message,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    attempts: run.attempts,
    refused: run.refused,
    spent: run.spent,
    crashes: run.crashes,
    dispatches: run.dispatches,
    dueAt: run.dueAt,
    orderAt: run.orderAt,
    deadline: run.deadline,
    expiresAt: run.expiresAt,
    look: run.look,
    lease: run.lease,
    output: run.output,
    values: run.values,
    unheld: run.unheld,
    expired: run.expired,
  };
}

/** The run of what failed as a person has it tried again: with all of its attempts and time. */
export function withFreshBudget(run: ActionRun): ActionRun {
  return {
    ...run,
    code: 0,
    error: null,
    message: null,
    endedAt: null,
    spent: 0,
    crashes: 0,
    deadline: null,
    expiresAt: null,
    values: null,
    expired: null,
  };
}
