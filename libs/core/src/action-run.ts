import type { ActionRun, RunState } from './task.js';

/** A part of a document while the change that makes it is still being decided. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };

/**
 * A normal action that was never reached. One object for all of them, so that stores may know it by
 * identity.
 */
export const PENDING_RUN: ActionRun = Object.freeze<ActionRun>({
  state: 'pending',
  code: 0,
  message: null,
  startedAt: null,
  endedAt: null,
  attempts: 0,
  spent: 0,
  dispatches: 0,
  dueAt: null,
  deadline: null,
  look: 'none',
  lease: null,
  output: null,
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

/** Whether the action has been started at least once, so that it may have had an effect. */
export function wasStarted(run: ActionRun): boolean {
  return run.startedAt !== null;
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
    message: run.message,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    attempts: run.attempts,
    spent: run.spent,
    dispatches: run.dispatches,
    dueAt: run.dueAt,
    deadline: run.deadline,
    look: run.look,
    lease: run.lease,
    output: run.output,
  };
}
