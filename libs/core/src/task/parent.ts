import type { JsonValue } from '../json/json.js';
import { TASK_STATUS, type TaskStatus, type TaskStatusName } from './status.js';

/** Where a child task belongs. Its id follows from these, so that it is made once. */
export interface ParentOfTask {
  readonly taskId: string;
  /**
   * Which child tasks of the parent: the id of a step's run, `#`, and which time, from 1 on; or
   * `FAILURE_RUN` or `ALERT_RUN`.
   */
  readonly run: string;
  /** Which of these, from 0 on. */
  readonly index: number;
  /** Number of its item among all items of its step, where that is another; absent: `index`. */
  readonly item?: number;
  /** It runs steps of its parent's flow, and is no task of a flow of its own. */
  readonly isPart: boolean;
  /** How deep child tasks lie in each other: 1 for a child of a task that is nobody's. */
  readonly depth: number;
  /** Id of the outermost task around, where that is not the parent; absent: it is. */
  readonly root?: string;
}

/** The number of the item that a child task is for, from 0 on; null: the task is nobody's. */
export function itemNumber(parent: ParentOfTask | null): number | null {
  return parent === null ? null : (parent.item ?? parent.index);
}

/** The part of a path that leads from a task to a child task: `each#3/` to the third of `each`. */
export function childPath(parent: ParentOfTask): string {
  const holder = parent.run.slice(0, parent.run.lastIndexOf('#'));
  return `${holder}#${(parent.item ?? parent.index) + 1}/`;
}

/** `ParentOfTask.run` of the task of a failure flow: no step has it. */
export const FAILURE_RUN = 'failure';

/** `ParentOfTask.run` of an alert task: no step has it. */
export const ALERT_RUN = 'alert';

/** Name of the built-in flow of alert tasks, which is in no list of flows. */
export const ALERT_FLOW = 'backstep-alert';

/** Whether a task is an alert task, by its parent. */
export function isAlertTask(parent: Pick<ParentOfTask, 'run'> | null): boolean {
  return parent?.run === ALERT_RUN;
}

/**
 * Whether a task is one that its parent owes, and does not count: that of its failure flow, or one
 * that calls a person.
 */
export function isOwedTask({ run }: Pick<ParentOfTask, 'run'>): boolean {
  return run === FAILURE_RUN || run === ALERT_RUN;
}

/** Most that `ParentOfTask.depth` may be. */
export const DEPTH_MAX = 16;

/** Most child tasks of one step. */
export const CHILDREN_MAX = 100_000;

/** Child tasks whose results the output of a step has, the first ones. */
export const RESULTS_MAX = 1_000;

/** How the child tasks of a step stand that were stored so far. */
export interface ChildCounts {
  /** All of them. */
  readonly found: number;
  readonly succeeded: number;
  /** Rolled back or terminated. */
  readonly failed: number;
  /** All others. */
  readonly active: number;
  /** Of these: they wait for a person. */
  readonly held: number;
}

/** The result of one child task. */
export interface ChildResult {
  readonly index: number;
  readonly taskId: string;
  readonly status: TaskStatusName;
  readonly output: JsonValue;
  /** Why it failed; null: it has not. */
  readonly message: string | null;
}

/** Statuses of child tasks that wait for a person. */
export const HELD_CHILD: readonly TaskStatus[] = Object.freeze([
  TASK_STATUS.rollback_failed,
  TASK_STATUS.on_hold,
]);

/** Statuses of child tasks that have failed, and will stay so. */
export const FAILED_CHILD: readonly TaskStatus[] = Object.freeze([
  TASK_STATUS.rolled_back,
  TASK_STATUS.terminated,
]);

/** The counts of child tasks of which this many have each status. */
export function countChildren(groups: Iterable<readonly [TaskStatus, number]>): ChildCounts {
  const counts = { found: 0, succeeded: 0, failed: 0, active: 0, held: 0 };
  for (const [status, count] of groups) {
    counts.found += count;
    if (status === TASK_STATUS.succeeded) counts.succeeded += count;
    else if (FAILED_CHILD.includes(status)) counts.failed += count;
    else counts.active += count;
    if (HELD_CHILD.includes(status)) counts.held += count;
  }
  return counts;
}

/** One child task, by its place among those of its parent. */
export type ChildRef = Pick<ParentOfTask, 'run' | 'index'>;

/**
 * Which child tasks of a failed step are begun again: those that failed, while the others stay as
 * they are; all of them, once those that succeeded are undone; or the one that failed and is of
 * this `index` in this `run` of its `parent`.
 */
export type ChildrenWish = 'failed' | 'all' | ChildRef;

/**
 * Which child tasks of a step a reset begins again, while the others stay as they are: those that
 * failed, or one. `isDone`: this one has succeeded, and is undone first.
 */
export type ChildrenAnew = 'failed' | (ChildRef & { readonly isDone?: boolean });
