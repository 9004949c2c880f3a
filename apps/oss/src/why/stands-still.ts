import {
  type ActionRef,
  isFinal,
  LIVE_STATUSES,
  questionOf,
  type Task,
  TASK_STATUS,
  type TaskStatus,
} from '#core';
import { type ChildrenPlan, childrenToTend } from '#core/children';
import { waitingTickets } from '#core/locks';
import { openActions, runOf, stepAt } from '#core/scopes';
import { nullWhereUnreadable } from '#ports';
import type { OssOptions } from '../options.js';
import { newsAwaited } from '../tasks/awaited-news.js';

/** Child tasks of one step that are read at most: with more of them open it is not known. */
const CHILDREN_MAX = 50;

/** Documents of child tasks, at any depth, that one question reads at most. */
const READS_MAX = 200;

/**
 * Whether nothing more happens to the task, which has ended, failed or was paused, unless a person
 * acts on it until then. Where one rollback has failed, those beside it still come to their ends.
 */
export function standsStill(task: Task, until = Infinity): boolean {
  const { hold, paused, runs, status } = task;
  if (isFinal(status)) return true;
  // A paused task starts nothing, not even by the clock.
  if (paused !== null) return !runs.some((both) => both.normal.lease ?? both.rollback?.lease);
  return hold !== null && hold.until === null && !isAtWork(task, until);
}

/**
 * Whether an action comes to an end by itself, or by a system outside. A step that holds steps or
 * child tasks runs for as long as these do, without a lease: what moves are the actions in it.
 */
function isAtWork(task: Task, until: number): boolean {
  return openActions(task).some((ref) => {
    const run = runOf(task, ref);
    if (run?.state === 'running') return run.lease !== null || questionOf(task, ref) !== null;
    return !isAsking(task, ref, until);
  });
}

/** Whether an action waits for an approval or a signal, and without it for longer than that. */
function isAsking(task: Task, ref: ActionRef, until: number): boolean {
  const run = runOf(task, ref);
  if (run === null || (run.dueAt !== null && run.dueAt < until)) return false;
  const news = newsAwaited(run, { plan: stepAt(task, ref.step), direction: ref.direction });
  return news === 'approval' || news === 'signal';
}

/** Answers whether tasks stand still, with the child tasks that they wait for. */
export class FamilyStill {
  private readsLeft = READS_MAX;

  constructor(
    private readonly sources: Pick<OssOptions, 'children' | 'store'>,
    /** Milliseconds since 1970; default: for ever. */
    private readonly until = Infinity,
  ) {}

  /**
   * Whether nothing more happens until then unless somebody acts: on the task, or on each child
   * task that it waits for, at any depth. False where there are too many to tell. Throws as stores
   * do.
   */
  async isStill(task: Task): Promise<boolean> {
    if (standsStill(task, this.until)) return true;
    if (!waitsForOthersAlone(task, this.until)) return false;
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

const { on_hold, paused, rollback_failed, rolling_back, running } = TASK_STATUS;

/**
 * Statuses of child tasks that may stand still, by themselves or because their own do. A parent
 * that goes back turns those that are on hold.
 */
const MAY_BE_STILL: Readonly<Record<ChildrenPlan['way'], readonly TaskStatus[]>> = {
  forward: [on_hold, paused, rollback_failed, rolling_back, running],
  back: [rollback_failed, rolling_back],
  end: [],
};

/** Whether people, or child tasks, are all that the task waits for until then. */
export function waitsForOthersAlone(task: Task, until: number): boolean {
  if (task.hold !== null || waitingTickets(task).length > 0 || isAtWork(task, until)) return false;
  if (childrenToTend(task).length > 0) return true;
  return openActions(task).some((ref) => isAsking(task, ref, until));
}
