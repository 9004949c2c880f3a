import { runOf } from '../scopes/dispatch.js';
import { openActions } from '../scopes/task-index.js';
import type { Task } from '../task/task.js';
import type { ActionRun } from '../task/action-run.js';

const NOBODY: readonly string[] = [];

/**
 * Sessions that hold running actions of a task, each once, in the order of its steps. `open`: its
 * `openActions`, where the caller has them already.
 */
export function ownersOf(
  task: Pick<Task, 'runs' | 'scopes' | 'index'>,
  open = openActions(task),
): readonly string[] {
  let owners: string[] | null = null;
  const add = (run: ActionRun | null): void => {
    const owner = run?.lease?.owner;
    if (owner === undefined || owners?.includes(owner) === true) return;
    (owners ??= []).push(owner);
  };
  for (const ref of open) add(runOf(task, ref));
  return owners ?? NOBODY;
}
