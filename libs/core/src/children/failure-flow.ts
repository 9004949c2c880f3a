import { childKey } from './child-request.js';
import type { FailureName } from '../task/failure.js';
import type { JsonObject } from '../json/json.js';
import { firstFailure } from '../scopes/failed-steps.js';
import { FAILURE_RUN } from '../task/parent.js';
import { statusName } from '../task/status.js';
import type { Task, TaskRequest } from '../task/task.js';
import { traceparentOf } from '../task/trace-context.js';

/** Whether the engine must see to it now that the failure flow of a task is started. */
export function wantsFailureTask({ failureTask, outcome }: FailureOfTask): boolean {
  return outcome !== null && outcome !== 'succeeded' && (failureTask?.dueAt ?? null) !== null;
}

type FailureOfTask = Pick<Task, 'outcome' | 'failureTask'>;

/** The text of which the id of the task of its failure flow is made: one for each task. */
export function failureKey(task: Pick<Task, 'plan'>): string {
  return childKey(task, FAILURE_RUN, 0);
}

/**
 * The request for the task of the failure flow of a task that has ended. Its labels and priority
 * are those of the task that it is about, so that a reader of one may see the other, and so are the
 * limits that bind it.
 */
export function failureRequest(task: Task): TaskRequest {
  const { labels, limits, parent, priority, starter, taskId } = task.plan;
  const depth = (parent?.depth ?? 0) + 1;
  const own = { taskId, run: FAILURE_RUN, index: 0, isPart: false, depth };
  const actor = `task ${taskId}`;
  const traceparent = traceparentOf(task.plan);
  const inherited = { labels, limits, priority, starter, traceparent };
  return { ...inherited, parameters: reportOn(task), parent: own, actor };
}

/**
 * The parameters of a failure flow: how the task ended, and the step that failed, where one did.
 */
function reportOn(task: Task): JsonObject {
  const { message, plan, status } = task;
  const cause = firstFailure(task);
  return {
    taskId: plan.taskId,
    flow: plan.flow,
    status: statusName(status),
    step: cause?.step ?? null,
    code: cause?.code ?? codeOf(task),
    message,
  };
}

/** No step failed: the time for all of it was over, or a person had it end so. */
function codeOf({ outcome, turned }: Pick<Task, 'outcome' | 'turned'>): FailureName | null {
  if (turned?.why === 'task_timed_out') return 'TIMED_OUT';
  return outcome === 'terminated' ? 'TERMINATED' : null;
}
