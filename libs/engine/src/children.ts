import { isOwedTask } from '#core';
import { childrenToTend } from '#core/children';
import type { JournalEntry, Task } from '#core';
import type { Notice, Observer } from '#ports';
import { ChildCounter } from './child-counter.js';
import { ChildrenBack } from './children-back.js';
import { ChildrenForward } from './children-forward.js';
import { Looks } from './looks.js';
import type { EngineParts } from './parts.js';
import type { TaskMover } from './task-mover.js';

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
