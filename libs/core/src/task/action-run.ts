import type { ActionRun, RunState, StepRuns } from './task.js';

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
  look: 'none',
  lease: null,
  output: null,
  values: null,
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
  return run.attempts > run.refused;
}

/** Whether the action ended without having done what it was for. */
export function hasFailed({ state }: ActionRun): boolean {
  return state === 'failed' || state === 'timed_out';
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
    look: run.look,
    lease: run.lease,
    output: run.output,
    values: run.values,
  };
}
