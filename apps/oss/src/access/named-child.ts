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
  if (typeof children !== 'object' || children === null || !('id' in children)) return;
  const id = String(children.id);
  const hidden = await hiddenAmong([id], principal, summaries);
  if (hidden.has(id)) throw refusal(noSuchChild(id), 'retry');
}
