import type { Task } from '#core';
import { isOutage, type Observer, TaskUnreadable } from '#ports';

/** Most tasks that are remembered; more would be told of again. */
const KEPT_MAX = 10_000;

/** Tells of tasks that could be read and yet not be moved, so that no other task waits for them. */
export class UnmovableTasks {
  /** Revision by task: a loop meets the same ones again and again. */
  private readonly told = new Map<string, number>();

  constructor(private readonly observer: Pick<Observer, 'noticed'>) {}

  /**
   * Tells of a task once per revision; throws what is not this task's own fault. One that cannot be
   * read was told of by the store.
   */
  tell({ plan, revision }: Task, error: unknown): undefined {
    if (isOutage(error)) throw error;
    const { taskId } = plan;
    if (error instanceof TaskUnreadable || this.told.get(taskId) === revision) return;
    if (this.told.size >= KEPT_MAX) this.told.clear();
    this.told.set(taskId, revision);
    const message = `task ${taskId} cannot be moved`;
    this.observer.noticed({ level: 'error', name: 'unmovable_task', message, taskId, error });
  }
}
