import { pivotsOfTask } from '../scopes/pivot.js';
import { stepAt } from '../scopes/step-at.js';
import { failureName } from '../task/failure.js';
import { ALERT_RUN } from '../task/parent.js';
import { callsPerson, statusName } from '../task/status.js';
import type { Task, TaskRequest } from '../task/task.js';
import { traceparentOf } from '../task/trace-context.js';
import { childKey } from './child-request.js';

/** Whether the engine must see to it now that an alert task is started. */
export function wantsAlertTask(task: Pick<Task, 'alert' | 'hold'>): boolean {
  return callsPerson(task) && (task.alert?.looks ?? 0) > 0;
}

/** Whether an alert task that has this id and number is one by which its parent calls a person. */
export function isCalledBy(
  { alert, hold }: Pick<Task, 'alert' | 'hold'>,
  { number, taskId }: { readonly number: number; readonly taskId: string },
): boolean {
  return callsPerson({ hold }) && (alert?.taskId === taskId || alert?.number === number);
}

/** The text of which the id of an alert task is made: one for each number of them. */
export function alertKey(task: Pick<Task, 'plan'>, number: number): string {
  return childKey(task, ALERT_RUN, number);
}

/**
 * The request for the next alert task of a task whose rollback failed, or that is not undone past
 * a point of no return. Its parameters say what failed, in the form of those of a failure flow; its
 * labels, priority and limits are those of the task that it is about.
 */
export function alertRequest(task: Task): TaskRequest {
  const { flow, labels, limits, parent, priority, starter, taskId } = task.plan;
  const depth = (parent?.depth ?? 0) + 1;
  const index = task.alert?.number ?? 0;
  const own = { taskId, run: ALERT_RUN, index, isPart: false, depth };
  const failed = failedUndo(task);
  const undo = failed === null ? null : (task.runs[failed]?.rollback ?? null);
  const place = failed ?? pivotsOfTask(task).at(-1) ?? null;
  const step = place === null ? null : (stepAt(task, place)?.name ?? null);
  const code = undo === null ? 'PAST_PIVOT' : (undo.error ?? failureName(undo.code));
  const { message } = task;
  const parameters = { taskId, flow, status: statusName(task.status), step, code, message };
  const traceparent = traceparentOf(task.plan);
  const inherited = { labels, limits, priority, starter, traceparent };
  return { ...inherited, parameters, parent: own, actor: `task ${taskId}` };
}

/** Place of the step whose rollback failed last; null: none did. */
export function failedUndo({ runs }: Pick<Task, 'runs'>): number | null {
  let [found, latest]: [number | null, number] = [null, -Infinity];
  runs.forEach(({ rollback }, place) => {
    if (rollback?.state !== 'failed' || (rollback.endedAt ?? 0) < latest) return;
    [found, latest] = [place, rollback.endedAt ?? 0];
  });
  return found;
}
