import {
  type EventOf,
  isOwedTask,
  type JournalEntry,
  LIVE_STATUSES,
  type Task,
  TASK_STATUS,
  type TaskStatus,
} from '#core';
import { type ChildrenPlan, childrenToTend, childSource } from '#core/children';
import type { FoundChild, Notice, Observer } from '#ports';
import { ChildCounter } from './child-counter.js';
import { missingChildren } from './child-reports.js';
import { actOf, ChildrenForward, undoBy } from './children-forward.js';
import { Looks } from './looks.js';
import { TaskOperation } from './operate-task.js';
import type { EngineParts } from './parts.js';
import type { TaskMover } from './task-mover.js';

/** A child task in one of these states goes forward. */
const FORWARD: readonly TaskStatus[] = [
  TASK_STATUS.not_started,
  TASK_STATUS.running,
  TASK_STATUS.on_hold,
  TASK_STATUS.paused,
];

/** The parts that the way back of child tasks needs besides those of the engine. */
interface BackParts {
  readonly mover: TaskMover;
  readonly forward: Pick<ChildrenForward, 'starter'>;
  readonly counter: ChildCounter;
}

/**
 * Looks after child tasks: starts them, has them go back, and tells their parents how they stand. A
 * notification is only a hint. If one is lost, the parent is looked at when its own time has come.
 */
export class Children implements Observer {
  private readonly looks = new Looks({
    lookAt: (taskId) => this.lookAt(taskId),
    failed: (taskId, error) => this.notice(taskId, error),
  });
  private readonly forward: ChildrenForward;
  private readonly back: ChildrenBack;

  constructor(
    private readonly parts: EngineParts,
    mover: TaskMover,
  ) {
    const counter = new ChildCounter(parts.children);
    this.forward = new ChildrenForward(parts, mover, counter);
    this.back = new ChildrenBack(parts, { mover, counter, forward: this.forward });
  }

  /** A child task that ended, or waits for a person, is news for its parent. */
  committed({ hold, outcome, plan }: Task, _entries: readonly JournalEntry[]): void {
    if (plan.parent === null || isOwedTask(plan.parent)) return;
    if (outcome === null && hold === null) return;
    this.looks.hint(plan.parent.taskId);
  }

  noticed(_notice: Notice): void {
    // Only ends of tasks are news.
  }

  /** Has the engine look after the child tasks of a task soon. */
  look(taskId: string): void {
    this.looks.hint(taskId);
  }

  /** Begins no further look. */
  stop(): void {
    this.looks.stop();
  }

  private async lookAt(taskId: string): Promise<void> {
    const task = await this.parts.store.get(taskId);
    if (task === null) return;
    for (const children of childrenToTend(task)) {
      if (children.way === 'forward') await this.forward.tend(task, children);
      else await this.back.tend(task, children);
    }
  }

  private notice(taskId: string, error: unknown): void {
    const message = `the child tasks of task ${taskId} could not be advanced: ${String(error)}`;
    this.parts.observer.noticed({ level: 'warn', name: 'children_wait', message, taskId });
  }
}

/**
 * Has child tasks undone, the highest index first, as many at a time as were started at a time; or
 * terminates them with their parent. A child that failed has undone itself, and one that goes back
 * does so by itself; one whose rollback failed waits for a person, and its parent for it.
 */
class ChildrenBack {
  private readonly operation: TaskOperation;

  constructor(
    private readonly parts: EngineParts,
    private readonly work: BackParts,
  ) {
    this.operation = new TaskOperation(work.mover, parts.store);
  }

  /** Looks after the child tasks of one step. Throws `StoreUnavailable`. */
  async tend(task: Task, children: ChildrenPlan): Promise<void> {
    const { concurrency, run, tally, way } = children;
    const of = { taskId: task.plan.taskId, run };
    const counted = await this.work.counter.count(task, children);
    if (counted.found < tally.started) await this.bar(task, children, counted.found);
    const isBarred = counted.found < tally.started;
    const counts = isBarred ? await this.parts.children.count(of) : counted;
    await this.work.mover.tell(task, { kind: 'children_counted', run, counts });
    const query = { ...of, statuses: LIVE_STATUSES, limit: concurrency };
    const active = counts.active === 0 ? [] : await this.parts.children.find(query);
    if (way === 'end') return this.each(active, (child) => this.terminate(task, child));
    await this.each(active, (child) => this.turn(task, child));
    const room = concurrency - active.length;
    if (room <= 0 || counts.succeeded === 0) return;
    const statuses = [TASK_STATUS.succeeded];
    const done = await this.parts.children.find({ ...of, statuses, limit: room });
    await this.each(done, (child) => this.undo(task, child));
  }

  /** Whoever is late with one of them finds its place taken. */
  private async bar(task: Task, children: ChildrenPlan, found: number): Promise<void> {
    const source = childSource(task, children);
    const missing = await missingChildren(this.parts, task, { children, found });
    const { starter } = this.work.forward;
    await Promise.all(missing.map((index) => starter.bar(source, index)));
  }

  private async each(
    children: readonly FoundChild[],
    act: (child: FoundChild) => Promise<void>,
  ): Promise<void> {
    await Promise.all(children.map(act));
  }

  private async turn(task: Task, { status, taskId }: FoundChild): Promise<void> {
    if (!FORWARD.includes(status)) return;
    const reason = actOf(task, 'it rolls back');
    const event: EventOf<'rollback_requested'> = { kind: 'rollback_requested', ...reason };
    await this.operation.operate(taskId, event);
  }

  private async undo(task: Task, { taskId }: FoundChild): Promise<void> {
    await this.operation.operate(taskId, undoBy(task, 'it rolls back'));
  }

  private async terminate(task: Task, { taskId }: FoundChild): Promise<void> {
    const reason = actOf(task, 'it was terminated');
    const event: EventOf<'terminate_requested'> = { kind: 'terminate_requested', ...reason };
    await this.operation.operate(taskId, event);
  }
}
