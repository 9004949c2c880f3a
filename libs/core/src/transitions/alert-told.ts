import type { Change } from '../change/change.js';
import type { AlertTold } from '../task/event.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';

/** An alert task of the task is stored. One about which a person has acted since is ignored. */
export function alertTold(change: Change, { number, taskId }: AlertTold): Verdict {
  const { alerting } = change;
  const { alert } = alerting;
  if (alert === null || alert.looks === 0 || alert.number !== number) return ignored('nothing_due');
  if (alert.taskId !== taskId) change.note('alert_started', { message: `task ${taskId}` });
  alerting.tell(taskId);
  return APPLIED;
}
