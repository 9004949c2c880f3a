import type { Task } from '../task/task.js';

/** The parts of a task that say since when nothing has happened to it. */
type Resting = Pick<Task, 'doneActions' | 'endedAt' | 'outcome' | 'plan' | 'wakeAt'>;

/**
 * Since when a final task has been at rest, milliseconds since 1970: its end, or the last action of
 * a person on it. Null: it is live, or work on it is left, such as its failure flow or the end of
 * its child tasks.
 */
export function restsSince({
  doneActions,
  endedAt,
  outcome,
  plan,
  wakeAt,
}: Resting): number | null {
  if (outcome === null || wakeAt !== null) return null;
  let since = endedAt ?? plan.createdAt;
  for (const { at } of doneActions) since = Math.max(since, at);
  return since;
}

/** Whether a task has been at rest since before a moment, milliseconds since 1970. */
export function restsSinceBefore(task: Resting, before: number): boolean {
  const since = restsSince(task);
  return since !== null && since < before;
}
