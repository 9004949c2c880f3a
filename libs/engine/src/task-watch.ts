import type { JournalEntry, Task } from '#core';
import type { Clock, Notice, Observer, TaskStore } from '#ports';

/** How often the store is asked about a task that another process may move, in milliseconds. */
const POLL_MS = 500;

/**
 * Tells callers when tasks move: at once for those this process moves, within half a second for
 * others.
 */
export class TaskWatch implements Observer {
  private readonly listeners = new Map<string, Set<(task: Task) => void>>();
  private readonly ofAny = new Set<() => void>();

  constructor(
    private readonly store: TaskStore,
    private readonly clock: Clock,
  ) {}

  committed(task: Task, _entries: readonly JournalEntry[]): void {
    for (const tell of this.ofAny) tell();
    if (this.listeners.size === 0) return;
    for (const tell of this.listeners.get(task.plan.taskId) ?? []) tell(task);
  }

  noticed(_notice: Notice): void {
    // Only moves of tasks are watched.
  }

  /**
   * Calls `onChange` with the task now and after each change seen (changes may be skipped), until
   * the returned function is called. Store trouble only delays it.
   */
  watch(taskId: string, onChange: (task: Task) => void): () => void {
    let revision = 0;
    let done = false;
    const tell = (task: Task): void => {
      if (done || task.revision <= revision) return;
      revision = task.revision;
      onChange(task);
    };
    const poll = async (): Promise<void> => {
      if (done) return;
      await this.store.get(taskId).then(
        (task) => task !== null && tell(task),
        () => {},
      );
      if (!done) timer = this.clock.after(POLL_MS, () => void poll());
    };
    let timer = this.clock.after(0, () => void poll());
    const set = this.listeners.get(taskId) ?? new Set();
    this.listeners.set(taskId, set.add(tell));
    return () => {
      done = true;
      timer.cancel();
      set.delete(tell);
      if (set.size === 0) this.listeners.delete(taskId);
    };
  }

  /**
   * Calls `onMove` whenever this process has moved any task, until the returned function is called.
   * Nothing is told of other processes.
   */
  watchAny(onMove: () => void): () => void {
    this.ofAny.add(onMove);
    return () => void this.ofAny.delete(onMove);
  }

  /**
   * Resolves to the task once `isEnough` holds for it, or to the last one seen when `waitMs` are
   * over.
   */
  until(task: Task, isEnough: (task: Task) => boolean, waitMs: number): Promise<Task> {
    if (isEnough(task)) return Promise.resolve(task);
    return new Promise((resolve) => {
      let last = task;
      const finish = (): void => {
        timer.cancel();
        stop();
        resolve(last);
      };
      const timer = this.clock.after(waitMs, finish);
      const stop = this.watch(task.plan.taskId, (seen) => {
        last = seen;
        if (isEnough(seen)) finish();
      });
    });
  }
}
