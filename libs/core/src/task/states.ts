import { invariant } from '../assert.js';
import type { Direction } from './journal.js';
import { TASK_STATUS, type TaskStatus } from './status.js';
import type { NormalState, RollbackState, RunState } from './action-run.js';

/** Allowed moves of a step's normal action. */
export const NORMAL_MOVES: Readonly<Record<NormalState, readonly NormalState[]>> = Object.freeze({
  pending: ['queued', 'skipped'],
  // Back to pending: the task turned round before anyone had taken the step.
  queued: ['running', 'pending', 'failed', 'timed_out', 'terminated', 'skipped'],
  running: ['succeeded', 'failed', 'timed_out', 'terminated', 'waiting', 'queued'],
  waiting: ['queued', 'failed', 'timed_out', 'terminated'],
  // A list of which a reset keeps child tasks is ready again in the same run, as a fresh one is.
  succeeded: [],
  // On hold, a person has it tried again or passes it over. It was caught, or is optional. Back to
  // pending: it is to be tried again once its task is resumed.
  failed: ['queued', 'pending', 'skipped'],
  timed_out: ['queued', 'pending', 'skipped'],
  // Its task or scope went back or ended. A reset gives the step a fresh run.
  terminated: [],
  skipped: [],
});

/** Allowed moves of a step's rollback. A failed one waits for a person, who retries or skips it. */
export const ROLLBACK_MOVES: Readonly<Record<RollbackState, readonly RollbackState[]>> =
  Object.freeze({
    none: ['pending'],
    // Back to none: the step's last attempt was refused before its command was entered.
    pending: ['queued', 'none'],
    queued: ['running', 'failed'],
    // To none: the task ended early while another branch of the step was undone.
    running: ['succeeded', 'failed', 'waiting', 'queued', 'none'],
    waiting: ['queued', 'failed'],
    failed: ['queued', 'skipped'],
    succeeded: [],
    skipped: [],
  });

const S = TASK_STATUS;

/** Allowed moves of a task. */
export const TASK_MOVES: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = Object.freeze({
  // Succeeded: a person passed over all of it. On hold: the time of a list of steps was over.
  [S.not_started]: [S.running, S.rolling_back, S.succeeded, S.on_hold, S.terminated, S.paused],
  // A rollback may fail in a scope below the task, which itself goes forward.
  [S.running]: [S.succeeded, S.rolling_back, S.rollback_failed, S.on_hold, S.terminated, S.paused],
  // Running again: what a person resets is undone. On hold: a step that it leaves alone failed.
  [S.rolling_back]: [
    S.running,
    S.rolled_back,
    S.rollback_failed,
    S.on_hold,
    S.terminated,
    S.paused,
  ],
  // To paused: it was paused before the rollback failed, and nobody has resumed it.
  [S.rollback_failed]: [S.running, S.rolling_back, S.on_hold, S.terminated, S.paused],
  [S.on_hold]: [
    S.not_started,
    S.running,
    S.rolling_back,
    S.rollback_failed,
    S.terminated,
    S.paused,
  ],
  [S.paused]: [
    S.not_started,
    S.running,
    S.rolling_back,
    S.rollback_failed,
    S.on_hold,
    S.terminated,
  ],
  // Only a person resets a task that has ended.
  [S.succeeded]: [S.rolling_back],
  [S.rolled_back]: [S.running],
  [S.terminated]: [],
});

const RUN_MOVES = { normal: NORMAL_MOVES, rollback: ROLLBACK_MOVES };

/** Whether an action's run may go from one state to the other. */
export function mayMove(direction: Direction, from: RunState, to: RunState): boolean {
  const table: Readonly<Partial<Record<RunState, readonly RunState[]>>> = RUN_MOVES[direction];
  return table[from]?.includes(to) ?? false;
}

/** Throws unless the run may go from one state to the other. */
export function assertMove(direction: Direction, from: RunState, to: RunState): void {
  invariant(mayMove(direction, from, to), `${direction} action: ${from} -> ${to} is not allowed`);
}

/** Throws unless the task may go from one status to the other. */
export function assertTaskMove(from: TaskStatus, to: TaskStatus): void {
  invariant(TASK_MOVES[from].includes(to), `task: ${from} -> ${to} is not allowed`);
}
