import type { JsonValue } from './json.js';
import { isFinal, TASK_STATUS, type TaskStatus, type TaskStatusName } from './status.js';

/** Where a child task belongs. Its id follows from these, so that it is made once. */
export interface ParentOfTask {
  readonly taskId: string;
  /**
   * Which child tasks of the parent: the id of a step's run, `#`, and which time, from 1 on; or
   * `FAILURE_RUN`.
   */
  readonly run: string;
  /** Which of these, from 0 on. */
  readonly index: number;
  /** It runs steps of its parent's flow, and is no task of a flow of its own. */
  readonly isPart: boolean;
  /** How deep child tasks lie in each other: 1 for a child of a task that is nobody's. */
  readonly depth: number;
  /** Id of the outermost task around, where that is not the parent; absent: it is. */
  readonly root?: string;
}

/** `ParentOfTask.run` of the task of a failure flow: no step has it. */
export const FAILURE_RUN = 'failure';

/** Whether a task is that of its parent's failure flow, which its parent does not count. */
export function isFailureTask({ run }: Pick<ParentOfTask, 'run'>): boolean {
  return run === FAILURE_RUN;
}

/** The task of the failure flow is stored, or it is known why it cannot be. */
export interface FailureFlowTold {
  readonly kind: 'failure_flow_told';
  /** Null: it cannot be started, as `message` says. */
  readonly taskId: string | null;
  readonly message?: string;
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

/** Statuses of tasks that wait for a person. */
const HELD: ReadonlySet<TaskStatus> = new Set([TASK_STATUS.rollback_failed, TASK_STATUS.on_hold]);

/** The counts of child tasks of which so many have each status. */
export function countChildren(groups: Iterable<readonly [TaskStatus, number]>): ChildCounts {
  const counts = { found: 0, succeeded: 0, failed: 0, active: 0, held: 0 };
  for (const [status, count] of groups) {
    counts.found += count;
    if (status === TASK_STATUS.succeeded) counts.succeeded += count;
    else if (isFinal(status)) counts.failed += count;
    else counts.active += count;
    if (HELD.has(status)) counts.held += count;
  }
  return counts;
}
