import type { ActionRef, JournalEntry, Task } from '#core';
import { actionOf, openActions, runOf } from '#core/scopes';
import type { Clock, Notice, Observer } from '#ports';

/** Tasks that are remembered at most; the others are found at governance's own next look. */
const TASKS_MAX = 10_000;

/** A task whose message was not taken, or had to be sent again. */
export interface UnclaimedTask {
  readonly taskId: string;
  /** The modules that its messages are for; null: they are not known yet. */
  modules: readonly string[] | null;
  /** Whether the broker has not taken the last message. */
  isRefused: boolean;
  /** When a message was last sent, by the monotonic clock. */
  sentAt: number;
  /** How often messages were sent again, since it was remembered. */
  tries: number;
}

/**
 * Remembers the tasks whose messages this process could not send, or governance has sent again:
 * their next look comes later with every one. They are found in what is told of commits, so nothing
 * is read for them.
 */
export class UnclaimedTasks implements Observer {
  private readonly tasks = new Map<string, UnclaimedTask>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** How many there are. */
  get size(): number {
    return this.tasks.size;
  }

  committed(task: Task, entries: readonly JournalEntry[]): void {
    const { taskId } = task.plan;
    if (entries.some(({ kind }) => kind === 'dispatched_again')) {
      const modules = queuedRefs(task).map((ref) => actionOf(task, ref)?.module ?? '');
      this.remember(taskId, { modules, isRefused: false });
    } else if (this.tasks.has(taskId) && queuedRefs(task).length === 0) {
      this.tasks.delete(taskId);
    }
  }

  noticed({ name, taskId = '' }: Notice): void {
    if (name !== 'publish_failed' || taskId === '') return;
    this.remember(taskId, { modules: this.tasks.get(taskId)?.modules ?? null, isRefused: true });
  }

  /** In the order in which they were remembered first. */
  list(): readonly UnclaimedTask[] {
    return [...this.tasks.values()];
  }

  /** It has no message to send, or is no more. */
  forget(taskId: string): void {
    this.tasks.delete(taskId);
  }

  private remember(taskId: string, news: Pick<UnclaimedTask, 'isRefused' | 'modules'>): void {
    const known = this.tasks.get(taskId);
    if (known === undefined && this.tasks.size >= TASKS_MAX) return;
    const sentAt = this.clock.monotonic();
    this.tasks.set(taskId, { taskId, tries: known?.tries ?? 0, sentAt, ...news });
  }
}

/** The actions of a task that wait for a message; nothing of a paused task is sent. */
export function queuedRefs(task: Task): readonly ActionRef[] {
  if (task.outcome !== null || task.paused !== null) return [];
  return openActions(task).filter((ref) => {
    const isQueued = runOf(task, ref)?.state === 'queued';
    return isQueued && actionOf(task, ref) !== undefined;
  });
}
