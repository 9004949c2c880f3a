import type { Task } from './task.js';

/** What has to be known of a task to tell since when nothing happened to it. */
type Resting = Pick<Task, 'doneActions' | 'endedAt' | 'outcome' | 'plan' | 'wakeAt'>;

/**
 * Since when a final task has been at rest, milliseconds since 1970: its end, or what a person did
 * with it last. Null: it is live, or something of it is still to be seen to, such as its failure
 * flow or the end of its child tasks.
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
