import {
  type ChildCounts,
  type ChildRef,
  type EventOf,
  FAILED_CHILD,
  HELD_CHILD,
  type Task,
  TASK_STATUS,
} from '#core';
import { type ChildrenPlan, childrenToTend, childSource } from '#core/children';
import { refusalOfFlow } from '#core/flow';
import type { ChildCounter } from './child-counter.js';
import { ChildStarter } from './child-starter.js';
import { failedNumbers, missingChildren, resultsOf } from './child-reports.js';
import { TaskOperation } from './operate-task.js';
import { undoBy } from './parent-act.js';
import type { EngineParts } from './parts.js';
import type { TaskMover } from './task-mover.js';

/** The counts of child tasks of which none was started. */
const NONE_FOUND: ChildCounts = { found: 0, succeeded: 0, failed: 0, active: 0, held: 0 };

/** Starts child tasks, so many at a time, and tells their parent how they stand. */
export class ChildrenForward {
  readonly starter: ChildStarter;
  private readonly operation: TaskOperation;

  constructor(
    private readonly parts: EngineParts,
    private readonly mover: TaskMover,
    private readonly counter: ChildCounter,
  ) {
    this.starter = new ChildStarter(parts, mover);
    this.operation = new TaskOperation(mover, parts.store);
  }

  /** Looks after the child tasks of one step. Throws `StoreUnavailable`. */
  async tend(task: Task, children: ChildrenPlan): Promise<void> {
    const { replaces, run, tally } = children;
    if (replaces !== null && !(await this.replace(task, children, replaces))) return;
    const counts = tally.started === 0 ? NONE_FOUND : await this.counter.count(task, children);
    if (counts.found < tally.started) await this.startMissing(task, children, counts.found);
    const event = await this.eventOf(task, children, counts);
    const next = await this.mover.tell(task, event);
    const grown = next && childrenToTend(next).find((other) => other.run === run);
    if (!next || !grown || grown.way !== 'forward') return;
    const indexes = range(tally.started, grown.tally.started);
    await this.start(next, grown, indexes);
  }

  private async eventOf(
    task: Task,
    children: ChildrenPlan,
    counts: ChildCounts,
  ): Promise<EventOf<'children_counted'>> {
    const { run, tally } = children;
    const { flow, started, total } = tally;
    const counted = { kind: 'children_counted', run, counts } as const;
    if (children.replaces !== null) return { ...counted, isReplaced: true };
    if (children.isUnchosen) {
      return { ...counted, chosen: await failedNumbers(this.parts, task, children) };
    }
    if (flow !== null && started === 0) {
      const found = await this.parts.flows.getFlow(flow.name, flow.version ?? undefined);
      if (found !== null) {
        const message = refusalOfFlow(task.plan.limits, found.definition);
        if (message !== null) return { ...counted, code: 'NOT_ALLOWED', message };
        return { ...counted, version: found.version };
      }
      const version = flow.version === null ? '' : ` in version ${flow.version}`;
      return { ...counted, message: `flow ${flow.name}${version} does not exist` };
    }
    const isOver = started === total && counts.active === 0 && counts.found >= started;
    if (!isOver) return counted;
    const { hasSecrets, results } = await resultsOf(this.parts, task, children);
    return { ...counted, results, ...(hasSecrets && { hasSecrets }) };
  }

  /**
   * Has the child task undone in whose place another is to come. Resolves to whether it is; one
   * whose rollback failed waits for a person, and its parent for it.
   */
  private async replace(task: Task, { run }: ChildrenPlan, former: ChildRef): Promise<boolean> {
    const of = { taskId: task.plan.taskId, run: former.run, before: former.index + 1, limit: 1 };
    const [child] = await this.parts.children.find(of);
    if (child === undefined || FAILED_CHILD.includes(child.status)) return true;
    const held = HELD_CHILD.includes(child.status) ? 1 : 0;
    const counts = { ...NONE_FOUND, held };
    await this.mover.tell(task, { kind: 'children_counted', run, counts });
    if (child.status !== TASK_STATUS.succeeded) return false;
    await this.operation.operate(child.taskId, undoBy(task, 'the item is retried'));
    return false;
  }

  private async startMissing(task: Task, children: ChildrenPlan, found: number): Promise<void> {
    await this.start(task, children, await missingChildren(this.parts, task, { children, found }));
  }

  /** One that cannot be made fails all of them. */
  private async start(
    task: Task,
    children: ChildrenPlan,
    indexes: readonly number[],
  ): Promise<void> {
    if (indexes.length === 0) return;
    const source = childSource(task, children);
    const faults = await Promise.all(indexes.map((index) => this.starter.start(source, index)));
    const fault = faults.find((one) => one !== null);
    if (fault === undefined || fault === null) return;
    const { run } = children;
    const counts = await this.parts.children.count({ taskId: task.plan.taskId, run });
    await this.mover.tell(task, { kind: 'children_counted', run, counts, ...fault });
  }
}

/** The numbers from one on, up to and without another. */
function range(from: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - from) }, (_, n) => from + n);
}
