import type { Principal } from '#access';
import { noSuchChild } from '#engine';
import { refusal } from '../tasks/task-verbs.js';
import { hiddenAmong, type TaskSummaries } from './hidden-tasks.js';

/**
 * Throws the `Problem` that the task which an action names as a child task is none, where the
 * caller does not see it. `children`: the member of the action; one that names no task is passed
 * over.
 */
export async function expectSeesChild(
  children: unknown,
  principal: Principal,
  summaries: TaskSummaries,
): Promise<void> {
  const [hidden] = await hiddenAmong(namedChild(children), principal, summaries);
  if (hidden !== undefined) throw refusal(noSuchChild(hidden), 'retry');
}

/** The id of the task that an action names as a child task, if it names one. */
export function namedChild(children: unknown): readonly string[] {
  if (typeof children !== 'object' || children === null || !('id' in children)) return [];
  return [String(children.id)];
}
