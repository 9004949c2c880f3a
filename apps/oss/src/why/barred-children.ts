import { type Task, TASK_STATUS } from '#core';
import type { ChildrenPlan } from '#core/children';
import { pivotsOfTask, runIdOf } from '#core/scopes';
import { nullWhereUnreadable } from '#ports';
import type { OssOptions } from '../options.js';
import { type Cause, moment } from './cause.js';

/**
 * Of a step that goes back the child tasks that are next to be undone, where none of them ever is:
 * each has passed a point of no return. Empty: one can be undone, or there is no room for any.
 * `active`: how many are open. Throws as stores do.
 */
export async function barredChildren(
  { children, store }: Pick<OssOptions, 'children' | 'store'>,
  { plan: { taskId } }: Task,
  { active, concurrency, run, way }: ChildrenPlan & { readonly active: number },
): Promise<readonly Task[]> {
  const limit = concurrency - active;
  if (way !== 'back' || limit <= 0) return [];
  const found = await children.find({ taskId, run, statuses: [TASK_STATUS.succeeded], limit });
  const barred: Task[] = [];
  for (const child of found) {
    const task = await store.get(child.taskId).catch(nullWhereUnreadable);
    if (task === null || pivotsOfTask(task).length === 0) return [];
    barred.push(task);
  }
  return barred;
}

/** Why such a child task is not undone. `parent`: the task that waits for that. */
export function barredCause(child: Task, parent: string): Cause {
  const steps = pivotsOfTask(child).map((place) => runIdOf(child, place));
  const label = 'Undo by hand what is left, and terminate the task';
  return {
    code: 'PAST_PIVOT',
    message: `it has passed the point of no return ${steps[0]}, and is not undone.`,
    since: moment(child.endedAt),
    evidence: { steps },
    next: [{ action: 'terminate', label, taskId: parent }],
  };
}
