import { stepAt, type Task } from '#core';

/** Whether a step that ends its task early is done, and stays. */
export function endsEarly(task: Task): boolean {
  return task.runs.some(({ normal, rollback }, place) => {
    const isEnd = stepAt(task, place)?.succeed !== undefined;
    return isEnd && normal.state === 'succeeded' && rollback?.state === 'none';
  });
}
