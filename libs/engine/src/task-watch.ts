import type { JournalEntry, Task } from '#core';
import type { Clock, Notice, Observer, TaskStore, Timer } from '#ports';

/** How often the store is asked about a task that another process may move, in milliseconds. */
const POLL_MS = 500;
/** Tasks that the store is asked about in a second at most: of more, each is asked about rarer. */
const POLLS_PER_SECOND = 1_000;

type Listener = (task: Task) => void;

/** A task that a person watches. However many do, the store is asked for all of them at once. */
interface Watched {
  readonly listeners: Set<Listener>;
  timer: Timer;
}

/**
 * Tells callers when tasks move: at once for those this process moves, within half a second for
 * others, or later while more than 500 tasks are watched: a millisecond for each.
 */
export class TaskWatch implements Observer {
  private readonly watched = new Map<string, Watched>();
  private readonly ofAny = new Set<() => void>();

  constructor(
    private readonly store: TaskStore,
    private readonly clock: Clock,
  ) {}

  committed(task: Task, _entries: readonly JournalEntry[]): void {
    for (const tell of this.ofAny) tell();
    if (this.watched.size === 0) return;
    for (const tell of this.watched.get(task.plan.taskId)?.listeners ?? []) tell(task);
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
    const watched = this.watched.get(taskId) ?? this.begin(taskId);
    watched.listeners.add(tell);
    const first = this.clock.after(0, () => void this.read(taskId, [tell]));
    return () => {
      done = true;
      first.cancel();
      watched.listeners.delete(tell);
      if (watched.listeners.size > 0) return;
      watched.timer.cancel();
      if (this.watched.get(taskId) === watched) this.watched.delete(taskId);
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

  private begin(taskId: string): Watched {
    const poll = async (): Promise<void> => {
      await this.read(taskId, watched.listeners);
      if (watched.listeners.size > 0)
        watched.timer = this.clock.after(this.gapMs, () => void poll());
    };
    const watched: Watched = {
      listeners: new Set(),
      timer: this.clock.after(this.gapMs, () => void poll()),
    };
    this.watched.set(taskId, watched);
    return watched;
  }

  private async read(taskId: string, listeners: Iterable<Listener>): Promise<void> {
    const task = await this.store.get(taskId).catch(() => null);
    if (task !== null) for (const tell of [...listeners]) tell(task);
  }

  private get gapMs(): number {
    return Math.max(POLL_MS, (this.watched.size / POLLS_PER_SECOND) * 1_000);
  }
}
