/**
 * Public status of a task, as number and name. The numbers are part of the public contract and
 * never change; `0` to `3` are those every client of the task model knows, every other number is a
 * failed state.
 */
export const TASK_STATUS = {
  succeeded: 0,
  not_started: 1,
  running: 2,
  rolling_back: 3,
  rolled_back: 4,
  rollback_failed: 5,
  terminated: 6,
} as const;

/** Name of a task status, for people and filters. */
export type TaskStatusName = keyof typeof TASK_STATUS;

/** Number of a task status, as stored and as sent. */
export type TaskStatus = (typeof TASK_STATUS)[TaskStatusName];

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
 * Whether a task with this status never moves again. *Rollback failed* is not final: it waits for a
 * person.
 */
export function isFinal(status: TaskStatus): boolean {
  return (
    status === TASK_STATUS.succeeded ||
    status === TASK_STATUS.rolled_back ||
    status === TASK_STATUS.terminated
  );
}

/** Every status of a task that may still move, in the order of their numbers. */
export const LIVE_STATUSES: readonly TaskStatus[] = Object.values(TASK_STATUS).filter(
  (status) => !isFinal(status),
);
