import type { Task } from '#core';
import { runIdOf, stepAt } from '#core/scopes';

/** Whether a step that ends its task early is done, and stays. */
export function endsEarly(task: Task): boolean {
  return earlyEnds(task).length > 0;
}

/** Whether a task had ended early before, and no reset has taken that back. */
export function staysEnded(before: Task, task: Task): boolean {
  const ended = earlyEnds(before);
  return earlyEnds(task).some((run) => ended.includes(run));
}

/** The ids of the runs that end a task early: a reset runs the same step under another one. */
function earlyEnds(task: Task): readonly string[] {
  return task.runs.flatMap(({ normal, rollback }, place) => {
    const isEnd = stepAt(task, place)?.succeed !== undefined;
    const isDone = isEnd && normal.state === 'succeeded' && rollback?.state === 'none';
    return isDone ? [runIdOf(task, place)] : [];
  });
}
