import type { StepMessage, Task } from '#core';
import { placeOf, runIdOf } from '#core/scopes';

/**
 * The place of the run that a message is about; null: the task has no such run now. A message tells
 * the place in the task's own list alone.
 */
export function placeOfMessage(task: Task, { cursor, run }: StepMessage): number | null {
  return runIdOf(task, cursor) === run ? cursor : placeOf(task, run);
}
