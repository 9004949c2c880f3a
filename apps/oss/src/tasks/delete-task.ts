import { statusName, type Task } from '#core';
import { restsSince } from '#core/read';
import type { TaskRemoval } from '#engine';
import { Problem } from '#http-server';

/**
 * Removes a final task at the revision at which it was read. `revisions`: those that the caller
 * expects; undefined: any. Throws the `Problem` that it must stay, and `StoreUnavailable`.
 */
export async function deleteTask(
  removal: Pick<TaskRemoval, 'remove' | 'withoutParents'>,
  task: Task,
  revisions: readonly number[] | undefined,
): Promise<void> {
  if (revisions?.includes(task.revision) === false) throw changed(`is at ${task.revision} by now`);
  if (task.outcome === null) {
    const state = statusName(task.status).replaceAll('_', ' ');
    throw illegal(`It is ${state}: only a task that has ended can be deleted.`);
  }
  if (restsSince(task) === null) {
    throw illegal('It has ended, but its failure flow or its child tasks need it still.');
  }
  if ((await removal.withoutParents([task])).length === 0) {
    throw illegal(
      `Its parent ${task.plan.parent?.taskId} needs it to be undone: delete that first.`,
    );
  }
  if ((await removal.remove([task])) === 0) throw changed('has changed meanwhile');
}

function illegal(message: string): Problem {
  return new Problem('ILLEGAL_ACTION', message);
}

function changed(what: string): Problem {
  return new Problem('REVISION_CHANGED', `The revision of the task ${what}.`);
}
