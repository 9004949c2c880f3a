import { propose, type Task, type TaskEvent } from '#core';
import { moveTask } from './move-task.js';
import type { StepRunner } from './step-runner.js';

/**
 * Tells a task what was found out for it, and has what follows started. Resolves to the document
 * then; null: it did not change.
 */
export async function tellTask(
  runner: StepRunner,
  task: Task,
  event: TaskEvent,
): Promise<Task | null> {
  const result = await moveTask(runner, task, (current, moment) =>
    propose(current, event, { moment }),
  );
  if (result.kind !== 'committed') return null;
  runner.onSoon(result.task);
  await runner.sender.send(result.dispatches);
  return result.task;
}
