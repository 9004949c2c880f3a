import { isFinal, TASK_STATUS } from './status.js';
import type { ActionRun, Task } from './task.js';

/** What the earliest moment is worked out from. */
type Wakeable = Pick<Task, 'plan' | 'status' | 'runs' | 'alert'>;

/**
 * The earliest moment at which somebody must look at the task again, or null for a final one. Lost
 * messages, dead executors, retries, timers and deadlines all meet here, which is why no task can
 * be stuck.
 */
export function wakeTime(task: Wakeable, alertRepeatMs: number): number | null {
  if (isFinal(task.status)) return null;
  let earliest = Infinity;
  for (const { normal, rollback } of task.runs) {
    earliest = Math.min(earliest, wakeOfRun(normal));
    if (rollback !== null) earliest = Math.min(earliest, wakeOfRun(rollback));
  }
  if (task.alert !== null) {
    const { state, endedAt } = task.alert;
    const repeat = state === 'succeeded' ? (endedAt ?? 0) + alertRepeatMs : Infinity;
    earliest = Math.min(earliest, wakeOfRun(task.alert), repeat);
  }
  if (task.plan.deadline !== null && task.status <= TASK_STATUS.running) {
    earliest = Math.min(earliest, task.plan.deadline);
  }
  return earliest;
}

function wakeOfRun(run: ActionRun): number {
  switch (run.state) {
    case 'running':
      return run.lease?.until ?? 0;
    case 'waiting':
      return run.dueAt ?? 0;
    case 'queued':
      return Math.min(run.dueAt ?? 0, queueDeadline(run));
    default:
      return Infinity;
  }
}

/**
 * When a queued action runs out of time; never before it was started once, and not before its last
 * look.
 */
export function queueDeadline(run: ActionRun): number {
  return run.look === 'last' ? Infinity : (run.deadline ?? Infinity);
}
