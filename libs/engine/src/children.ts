import { type ActionRef, childrenToTend, isFailureTask, stepAt } from '#core';
import type { JournalEntry, Task } from '#core';
import type { Notice, Observer } from '#ports';
import { ChildrenBack } from './children-back.js';
import { ChildrenForward } from './children-forward.js';
import type { EngineParts } from './parts.js';
import type { StepRunner } from './step-runner.js';

/** A look at the child tasks of a task that is on its way. */
interface Look {
  /** Something was heard since it began, so that another one follows. */
  isStale: boolean;
}

/**
 * Looks after child tasks: starts them, has them go back, and tells their parents how they stand.
 * What is heard of is a hint; of each parent one look is on its way at a time, however many hints
 * come. What is lost is looked at again when the parent's own time has come.
 */
export class Children implements Observer {
  private readonly looks = new Map<string, Look>();
  private readonly forward: ChildrenForward;
  private readonly back: ChildrenBack;
  private isStopped = false;

  constructor(
    private readonly parts: EngineParts,
    runner: StepRunner,
  ) {
    this.forward = new ChildrenForward(parts, runner);
    this.back = new ChildrenBack(parts, runner, this.forward);
  }

  /** A child task that ended, or waits for a person, is news for its parent. */
  committed({ hold, outcome, plan }: Task, _entries: readonly JournalEntry[]): void {
    if (plan.parent === null || isFailureTask(plan.parent)) return;
    if (outcome === null && hold === null) return;
    this.look(plan.parent.taskId);
  }

  noticed(_notice: Notice): void {
    // Only ends of tasks are news.
  }

  /** A document was stored that asks about these actions. */
  tend(task: Task, asked: readonly ActionRef[]): void {
    const isIt = asked.some(({ step }) => {
      const { flow, foreach } = stepAt(task, step) ?? {};
      return flow !== undefined || foreach !== undefined;
    });
    if (isIt) this.look(task.plan.taskId);
  }

  /** Begins no further look. */
  stop(): void {
    this.isStopped = true;
  }

  private look(taskId: string): void {
    const found = this.looks.get(taskId);
    if (found !== undefined) found.isStale = true;
    else if (!this.isStopped) void this.lookWhileStale(taskId);
  }

  /** Never rejects. */
  private async lookWhileStale(taskId: string): Promise<void> {
    const look: Look = { isStale: true };
    this.looks.set(taskId, look);
    try {
      while (look.isStale && !this.isStopped) {
        look.isStale = false;
        await this.lookAt(taskId);
      }
    } catch (error) {
      const message = `the child tasks of task ${taskId} wait: ${String(error)}`;
      this.parts.observer.noticed({ level: 'warn', name: 'children_wait', message, taskId });
    } finally {
      this.looks.delete(taskId);
    }
  }

  private async lookAt(taskId: string): Promise<void> {
    const task = await this.parts.store.get(taskId);
    if (task === null) return;
    for (const children of childrenToTend(task)) {
      if (children.way === 'forward') await this.forward.tend(task, children);
      else await this.back.tend(task, children);
    }
  }
}
