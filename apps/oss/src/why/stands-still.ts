import {
  type ActionRun,
  isFinal,
  LIVE_STATUSES,
  type Task,
  TASK_STATUS,
  type TaskStatus,
} from '#core';
import { type ChildrenPlan, childrenToTend } from '#core/children';
import { waitingTickets } from '#core/locks';
import { nullWhereUnreadable } from '#ports';
import type { OssOptions } from '../options.js';

/** Child tasks of one step that are read at most: with more of them open it is not known. */
const CHILDREN_MAX = 50;

/** Documents of child tasks, at any depth, that one question reads at most. */
const READS_MAX = 200;

/**
 * Whether nothing more happens to the task unless a person acts on it. Where one rollback has
 * failed, those that run beside it still come to their ends.
 */
export function standsStill({ hold, runs, status }: Task): boolean {
  if (isFinal(status)) return true;
  if (hold === null || hold.until !== null) return false;
  return !runs.some(({ normal, rollback }) => isAtWork(normal) || isAtWork(rollback));
}

/**
 * Whether an action comes to an end by itself. A step that holds steps or child tasks runs for as
 * long as these do, without a lease: what moves are the actions in it.
 */
function isAtWork(run: ActionRun | null): boolean {
  if (run === null) return false;
  if (run.state === 'running') return run.lease !== null;
  return run.state === 'queued' || run.state === 'waiting';
}

/** Answers whether tasks stand still, with the child tasks that they wait for. */
export class FamilyStill {
  private readsLeft = READS_MAX;

  constructor(private readonly sources: Pick<OssOptions, 'children' | 'store'>) {}

  /**
   * Whether nothing more happens unless a person acts: on the task, or on each child task that it
   * waits for, at any depth. False where there are too many to tell. Throws as stores do.
   */
  async isStill(task: Task): Promise<boolean> {
    if (standsStill(task)) return true;
    if (!waitsForChildrenAlone(task)) return false;
    for (const plan of childrenToTend(task)) {
      if (!(await this.areStill(task, plan))) return false;
    }
    return true;
  }

  private async areStill({ plan: { taskId } }: Task, children: ChildrenPlan): Promise<boolean> {
    const of = { taskId, run: children.run, statuses: LIVE_STATUSES };
    const found = await this.sources.children.find({ ...of, limit: CHILDREN_MAX + 1 });
    if (found.length === 0 || found.length > CHILDREN_MAX) return false;
    if (found.length < children.concurrency && movesMore(children)) return false;
    const statuses = MAY_BE_STILL[children.way];
    if (!found.every(({ status }) => statuses.includes(status))) return false;
    this.readsLeft -= found.length;
    if (this.readsLeft < 0) return false;
    for (const child of found) {
      const task = await this.sources.store.get(child.taskId).catch(nullWhereUnreadable);
      if (task === null || isFinal(task.status) || !(await this.isStill(task))) return false;
    }
    return true;
  }
}

/** Whether there are child tasks that are begun, or undone, once there is room for them. */
export function movesMore({ tally, way }: ChildrenPlan): boolean {
  return way === 'forward' ? tally.started < tally.total : tally.succeeded > 0;
}

const { on_hold, rollback_failed, rolling_back, running } = TASK_STATUS;

/**
 * Statuses of child tasks that may stand still, by themselves or because their own do. A parent
 * that goes back turns those that are on hold.
 */
const MAY_BE_STILL: Readonly<Record<ChildrenPlan['way'], readonly TaskStatus[]>> = {
  forward: [on_hold, rollback_failed, rolling_back, running],
  back: [rollback_failed, rolling_back],
  end: [],
};

/** Whether child tasks are all that the task waits for. */
export function waitsForChildrenAlone(task: Task): boolean {
  if (childrenToTend(task).length === 0 || waitingTickets(task).length > 0) return false;
  return !task.runs.some(({ normal, rollback }) => isAtWork(normal) || isAtWork(rollback));
}
