import type { Task } from '#core';
import { TaskUnreadable } from '#ports';

/** Revisions of the tasks that are there and can be read. */
export async function revisionsOf(
  taskIds: readonly string[],
  get: (taskId: string) => Promise<Task | null>,
): Promise<ReadonlyMap<string, number>> {
  const revisions = new Map<string, number>();
  const read = async (taskId: string): Promise<void> => {
    const task = await get(taskId);
    if (task !== null) revisions.set(taskId, task.revision);
  };
  for (const each of await Promise.allSettled(taskIds.map(read))) {
    if (each.status === 'rejected' && !(each.reason instanceof TaskUnreadable)) throw each.reason;
  }
  return revisions;
}
