import {
  COUNT,
  DATE,
  faultIn,
  FINITE,
  MOMENT,
  NUMBERED,
  OBJECT,
  orNull,
  rulesOf,
  TEXT,
  TEXTS,
} from '../json/shape.js';
import { type Approval, APPROVALS, approvalsAsked } from './approvals.js';
import { AWAITED, type Awaited, awaitedBy } from './awaited.js';
import type { ParentOfTask } from '../task/parent.js';
import { isFinal, TASK_STATUS, type TaskStatus } from '../task/status.js';
import type { Task, TaskOrigin } from '../task/task.js';
import { STATUS } from './task-members.js';

/**
 * A task as lists show it: without steps, parameters and outputs, so that it is small whatever the
 * task holds. Times are milliseconds since 1970.
 */
export interface TaskSummary {
  readonly taskId: string;
  readonly flow: string;
  readonly flowVersion: number;
  readonly createdAt: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly parent: ParentOfTask | null;
  /** The request that it was made for; null: a task around it made it. */
  readonly origin: TaskOrigin | null;
  readonly revision: number;
  readonly status: TaskStatus;
  readonly message: string | null;
  readonly cursor: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly wakeAt: number | null;
  /** The approvals that it waits for, the first ten; empty once it is final. */
  readonly approvals: readonly Approval[];
  /** The event without which it does not go on; null: it goes on, or waits for a person. */
  readonly awaits: Awaited | null;
}

/** The summary of a task, as lists show it. */
export function summaryOf(task: Task): TaskSummary {
  const { plan } = task;
  return {
    taskId: plan.taskId,
    flow: plan.flow,
    flowVersion: plan.flowVersion,
    createdAt: plan.createdAt,
    labels: plan.labels,
    priority: plan.priority,
    parent: plan.parent,
    origin: plan.origin ?? null,
    revision: task.revision,
    status: task.status,
    message: task.message,
    cursor: task.cursor,
    startedAt: task.startedAt,
    endedAt: task.endedAt,
    wakeAt: task.wakeAt,
    approvals: approvalsAsked(task),
    awaits: awaitedBy(task),
  };
}

const SUMMARY = rulesOf<TaskSummary>({
  taskId: TEXT,
  flow: TEXT,
  flowVersion: NUMBERED,
  createdAt: DATE,
  labels: TEXTS,
  priority: FINITE,
  parent: orNull(OBJECT),
  origin: orNull(TEXTS),
  revision: NUMBERED,
  status: STATUS,
  message: orNull(TEXT),
  cursor: COUNT,
  startedAt: orNull(MOMENT),
  endedAt: orNull(MOMENT),
  wakeAt: orNull(MOMENT),
  approvals: APPROVALS,
  awaits: AWAITED,
});

/** Why a summary that was read cannot be one; null: it can. */
export function summaryFault(summary: TaskSummary): string | null {
  return faultIn(SUMMARY, summary, '') ?? sleepFault(summary);
}

/**
 * A live task says when it is looked at again, and a final one does not. One that is paused or on
 * hold may do either, and so may one that runs: it may wait for somebody outside.
 */
export function sleepFault({ status, wakeAt }: Pick<Task, 'status' | 'wakeAt'>): string | null {
  if (status === TASK_STATUS.paused || status === TASK_STATUS.on_hold) return null;
  if (status === TASK_STATUS.running && wakeAt === null) return null;
  // Until its child tasks are terminated, too, somebody looks after them; and until its failure
  // flow is started.
  if (status === TASK_STATUS.terminated || status === TASK_STATUS.rolled_back) return null;
  if (isFinal(status) === (wakeAt === null)) return null;
  return wakeAt === null ? 'wakeAt is missing while the task is live' : 'wakeAt of a final task';
}
