/**
 * Public status of a task, as number and name. The numbers are part of the public contract and
 * never change. Every client of the task model knows `0` to `3`; one that knows no more may treat
 * any other number as a failure. Only `4` to `6` are failures: `7` and `8` wait.
 */
export const TASK_STATUS = {
  succeeded: 0,
  not_started: 1,
  running: 2,
  rolling_back: 3,
  rolled_back: 4,
  rollback_failed: 5,
  terminated: 6,
  on_hold: 7,
  paused: 8,
} as const;

/** Name of a task status, for people and filters. */
export type TaskStatusName = keyof typeof TASK_STATUS;

/** Number of a task status, as stored and as sent. */
export type TaskStatus = (typeof TASK_STATUS)[TaskStatusName];

/** Direction of a task. `back`: what ran is being undone, or was. */
export type Way = 'forward' | 'back';

/** How a task ended, by the name of its status. */
export type TaskOutcome = 'succeeded' | 'rolled_back' | 'terminated';

/**
 * A task on hold waits for a person. It keeps its direction, and follows nothing that ends
 * meanwhile.
 */
export interface Hold {
  /**
   * `step_failed`: a step failed for good, and the flow says that a person decides then.
   * `requested`: a person had the task go back down to a step, and it has.
   */
  readonly why: 'rollback_failed' | 'step_failed' | 'requested';
  /** The person who asked for it; null: nobody did. */
  readonly by: string | null;
  /** When the task rolls back by itself, milliseconds since 1970; null: when a person says so. */
  readonly until: number | null;
}

/** A paused task starts nothing, in either direction, until a person lets it go on. */
export interface Pause {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The person who paused it. */
  readonly by: string;
  readonly reason: string;
}

/** The facts of which the public status is computed. */
export interface Standing {
  readonly way: Way;
  /** Null: nobody has to act. */
  readonly hold: Hold | null;
  /** Null: it is not paused. Stands beside the direction and beside a hold. */
  readonly paused: Pause | null;
  /** Null: the task is live. */
  readonly outcome: TaskOutcome | null;
  /** Start of its first action, milliseconds since 1970; null: nothing was started. */
  readonly startedAt: number | null;
}

/**
 * The public status of a task that stands so. A hold is told before a pause: it asks for a person.
 */
export function statusOf({ hold, outcome, paused, startedAt, way }: Standing): TaskStatus {
  if (outcome !== null) return TASK_STATUS[outcome];
  if (hold !== null) return heldStatus(hold);
  if (paused !== null) return TASK_STATUS.paused;
  if (way === 'back') return TASK_STATUS.rolling_back;
  return startedAt === null ? TASK_STATUS.not_started : TASK_STATUS.running;
}

function heldStatus({ why }: Hold): TaskStatus {
  return why === 'rollback_failed' ? TASK_STATUS.rollback_failed : TASK_STATUS.on_hold;
}

/** Whether the task starts what is ready, in its direction. */
export function startsActions({
  hold,
  outcome,
  paused,
}: Pick<Standing, 'hold' | 'outcome' | 'paused'>): boolean {
  return outcome === null && hold === null && paused === null;
}

/** Whether a person is called, because a rollback has failed. */
export function callsPerson({ hold }: Pick<Standing, 'hold'>): boolean {
  return hold?.why === 'rollback_failed';
}

/** Whether a queued action may be started. */
export function maySend({ paused }: Pick<Standing, 'paused'>): boolean {
  return paused === null;
}

const NAMES = Object.fromEntries(
  Object.entries(TASK_STATUS).map(([name, number]) => [number, name]),
) as Record<TaskStatus, TaskStatusName>;

/** All names, in the order of their numbers. */
export const TASK_STATUS_NAMES = Object.keys(TASK_STATUS) as readonly TaskStatusName[];

/** Name of the status with this number. */
export function statusName(status: TaskStatus): TaskStatusName {
  return NAMES[status];
}

/**
 * Whether a task with this status never moves again by itself; a person may reset it unless it was
 * terminated. *Rollback failed* is not final: it waits for a person.
 */
export function isFinal(status: TaskStatus): boolean {
  return (
    status === TASK_STATUS.succeeded ||
    status === TASK_STATUS.rolled_back ||
    status === TASK_STATUS.terminated
  );
}

/** Every final status, in the order of their numbers. */
export const FINAL_STATUSES: readonly TaskStatus[] = Object.values(TASK_STATUS).filter(isFinal);

/** Every status of a task that may still move, in the order of their numbers. */
export const LIVE_STATUSES: readonly TaskStatus[] = Object.values(TASK_STATUS).filter(
  (status) => !isFinal(status),
);
