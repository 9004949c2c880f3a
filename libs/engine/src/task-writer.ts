import type { Decision, Dispatch, Moment, Refusal, Task, TaskLimits, Timing, Verdict } from '#core';
import { type Clock, type Entropy, type Observer, StoreUnavailable, type TaskStore } from '#ports';

/** What became of a decision once it met the store. */
export type WriteResult =
  | { readonly kind: 'committed'; readonly task: Task; readonly dispatches: readonly Dispatch[] }
  | (Extract<Verdict, { kind: 'ignored' }> & { readonly task: Task })
  | (Refusal & { readonly task: Task })
  | { readonly kind: 'missing' };

/**
 * Decides on a document; called again with a newer one when somebody else was faster. Must be
 * repeatable.
 */
export type Decide = (task: Task, moment: Moment) => Decision;

/** Conflicts in a row after which a write waits a little, and after which it gives up. */
const CALM_AFTER = 4;
const CONFLICTS_MAX = 60;

/** What the writer needs of the engine's parts. */
export interface WriterParts {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly observer: Observer;
  readonly limits?: TaskLimits;
}

/**
 * The one way by which a task changes: decide on the document, commit on its revision, tell the
 * observers.
 */
export class TaskWriter {
  constructor(
    private readonly parts: WriterParts,
    private readonly timing: Timing,
  ) {}

  /** Time and chance for one decision. */
  moment(): Moment {
    const { clock, entropy, limits } = this.parts;
    return { now: clock.now(), chance: entropy.random(), timing: this.timing, limits };
  }

  /** Like `write`, from the document as stored now. */
  async writeById(taskId: string, decide: Decide): Promise<WriteResult> {
    const task = await this.parts.store.get(taskId);
    return task === null ? { kind: 'missing' } : this.write(task, decide);
  }

  /**
   * Decides and commits; when the document moved meanwhile, loads it and decides again. Throws
   * `StoreUnavailable` when the store does not answer, after which nothing is known.
   */
  async write(task: Task, decide: Decide): Promise<WriteResult> {
    const { store, observer } = this.parts;
    let current = task;
    for (let conflicts = 0; conflicts < CONFLICTS_MAX; conflicts++) {
      const decision = decide(current, this.moment());
      if (decision.kind !== 'moved') return { ...decision, task: current };
      const result = await store.commit(current, decision.task);
      if (result === 'committed') {
        observer.committed(decision.task, decision.entries);
        return { kind: 'committed', task: decision.task, dispatches: decision.dispatches };
      }
      const found = await this.reload(current, conflicts);
      if (found === null) return { kind: 'missing' };
      current = found;
    }
    throw new StoreUnavailable(`task ${task.plan.taskId} is written by too many at once`);
  }

  private async reload(task: Task, conflicts: number): Promise<Task | null> {
    const { clock, entropy, observer, store } = this.parts;
    const { taskId } = task.plan;
    const message = `somebody else moved task ${taskId}`;
    observer.noticed({ level: 'debug', name: 'commit_conflict', message, taskId });
    if (conflicts >= CALM_AFTER) await clock.sleep(entropy.random() * 20 * conflicts);
    return store.get(taskId);
  }
}
