import { statusName, type Task } from '#core';
import { restsSince } from '#core/read';
import type { TaskRemoval } from '#engine';
import { Problem } from '#http-server';

/**
 * Removes a final task at the revision at which it was read. Throws as `expectDeletable` does, and
 * the `Problem` that it has changed meanwhile.
 */
export async function deleteTask(
  removal: Pick<TaskRemoval, 'remove' | 'withoutParents'>,
  task: Task,
): Promise<void> {
  await expectDeletable(removal, task);
  if ((await removal.remove([task])) > 0) return;
  throw new Problem('REVISION_CHANGED', 'The revision of the task has changed meanwhile.');
}

/** Throws the `Problem` that the task must stay, and `StoreUnavailable`. */
export async function expectDeletable(
  removal: Pick<TaskRemoval, 'withoutParents'>,
  task: Task,
): Promise<void> {
  if (task.outcome === null) {
    const state = statusName(task.status).replaceAll('_', ' ');
    throw illegal(`It is ${state}: only a task that has ended can be deleted.`);
  }
  if (restsSince(task) === null) {
    throw illegal('It has ended, but its failure flow or its child tasks need it still.');
  }
  if ((await removal.withoutParents([task])).length === 0) {
    // Without its id: the caller may see the child task alone.
    throw illegal('Its parent needs it to be undone: delete that first.');
  }
}

function illegal(message: string): Problem {
  return new Problem('ILLEGAL_ACTION', message);
}
