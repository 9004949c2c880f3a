import type { Change } from '../change/change.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import type { AlertTold, FailureFlowTold } from '../task/event.js';

/**
 * The failure flow of the task is started, or cannot be. Also a task that a person has go on since
 * keeps it: it is started once.
 */
export function failureFlowTold(change: Change, event: FailureFlowTold): Verdict {
  const { failureTask } = change;
  if (failureTask === null || failureTask.dueAt === null) return ignored('nothing_due');
  const { message, taskId } = event;
  change.failure.task = { ...failureTask, taskId, message: message ?? null, dueAt: null };
  if (taskId === null) change.note('failure_flow_refused', { message });
  else change.note('failure_flow_started', { message: `task ${taskId}` });
  return APPLIED;
}

/** An alert task of the task is stored. One about which a person has acted since is ignored. */
export function alertTold(change: Change, { number, taskId }: AlertTold): Verdict {
  const { alerting } = change;
  const { alert } = alerting;
  if (alert === null || alert.looks === 0 || alert.number !== number) return ignored('nothing_due');
  if (alert.taskId !== taskId) change.note('alert_started', { message: `task ${taskId}` });
  alerting.tell(taskId);
  return APPLIED;
}
