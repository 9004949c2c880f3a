import type { StartLimits } from '../flow/start-limits.js';
import { DocumentFault } from '../json/shape.js';
import { wakeTime } from '../scopes/wake.js';
import { statusOf } from '../task/status.js';
import type { Task } from '../task/task.js';
import { formFault } from './form.js';
import { runsFault, turnFault } from './run-shape.js';
import { stepsFault } from './step-shape.js';
import { LIMITS, TASK_FORM } from './task-members.js';
import { sleepFault } from './task-summary.js';

/**
 * Why a document that was read cannot be a task; null: it can be one, and nothing that is decided
 * on it meets a member of the wrong kind. Cheap: no content of users is looked into.
 */
export function taskFault(task: Task): string | null {
  return (
    formFault(TASK_FORM, task, '') ??
    standingFault(task) ??
    stepsFault(task.plan.steps) ??
    runsFault(task) ??
    sleepFault(task) ??
    standstillFault(task)
  );
}

/** The task, if it can be one. Throws `DocumentFault`. */
export function checkTask(task: Task): Task {
  const fault = taskFault(task);
  if (fault !== null) throw new DocumentFault(fault);
  return task;
}

/** Why a value cannot be limits: its members would be believed. */
export function limitsFault(limits: StartLimits | undefined): string | null {
  return limits === undefined ? null : formFault(LIMITS, limits, 'plan.limits');
}

function standingFault(task: Task): string | null {
  const fault = turnFault(task, '');
  if (fault !== null) return fault;
  return task.status === statusOf(task)
    ? null
    : 'status is not what way, hold, paused and outcome make it';
}

/** Something of a live task is under way, or nothing would ever move it. */
function standstillFault(task: Task): string | null {
  const due = wakeTime(task);
  if (due === Infinity) return 'nothing of a live task is under way';
  const isForgotten = due !== null && task.wakeAt === null;
  return isForgotten ? 'wakeAt is missing while the task is live' : null;
}
