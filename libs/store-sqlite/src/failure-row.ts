import type { FailureTask, Task } from '#core';
import { fromTaskTime, toTaskTime } from './task-time.js';

/** How the failure flow of a task is started; `dueAt` is a task time. */
export type FailureRow = readonly [
  taskId: string | null,
  message: string | null,
  looks: number,
  dueAt: number | null,
];

/** The stored row of how the failure flow of a task is started; null: it is not. */
export function toFailureRow({ failureTask, plan }: Task): FailureRow | null {
  if (failureTask === null) return null;
  const { dueAt, looks, message, taskId } = failureTask;
  return [taskId, message, looks, toTaskTime(dueAt, plan.createdAt)];
}

/** How the failure flow of a task is started, as a row says. */
export function fromFailureRow(
  row: FailureRow | null | undefined,
  createdAt: number,
): FailureTask | null {
  if (row === undefined || row === null) return null;
  const [taskId, message, looks, dueAt] = row;
  return { taskId, message, looks, dueAt: fromTaskTime(dueAt, createdAt) };
}
