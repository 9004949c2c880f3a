import type { Task } from '#core';
import { Problem } from '#http-server';
import type { OssOptions } from '../options.js';

/** The form of every task id; the store is not asked for any other. */
const TASK_ID = /^[\w-]{1,64}$/;

/** The task as stored now. Throws the `Problem` that there is none. */
export async function findTask(
  store: Pick<OssOptions['store'], 'get'>,
  taskId: string,
): Promise<Task> {
  const task = TASK_ID.test(taskId) ? await store.get(taskId) : null;
  if (task === null) throw taskNotFound(taskId);
  return task;
}

/** The problem that there is no task of this id. */
export function taskNotFound(taskId: string): Problem {
  const shown = taskId.length > 64 ? `${taskId.slice(0, 64)}...` : taskId;
  return new Problem('TASK_NOT_FOUND', `There is no task ${JSON.stringify(shown)}.`);
}
