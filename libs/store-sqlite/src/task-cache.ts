import type { Task } from '#core';

/** A task as stored, with what spares the next commit some work. */
export interface KnownTask {
  readonly task: Task;
  /** Number of its row. */
  readonly row: number;
  /** JSON text of each step's runs; null where the document was read and not written. */
  readonly fragments: readonly string[] | null;
  /** Journal entries in the row, those included that the task has dropped. */
  readonly journalStored: number;
  /** Roughly the characters of its texts. */
  readonly weight: number;
}

/** How much a {@link TaskCache} holds. */
export interface CacheLimits {
  readonly tasks: number;
  /** Characters of the tasks' texts; their objects take several times as many bytes. */
  readonly characters: number;
}

/**
 * The tasks that were written or read last. The file belongs to this process alone, so what it was
 * told to be stored is what is stored, until it stores something else.
 */
export class TaskCache {
  readonly #limits: CacheLimits;
  /** Least recently used first. */
  readonly #known = new Map<string, KnownTask>();
  #weight = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  /** The task, which counts as used now. */
  find(taskId: string): KnownTask | undefined {
    const known = this.#known.get(taskId);
    if (known === undefined) return undefined;
    this.#known.delete(taskId);
    this.#known.set(taskId, known);
    return known;
  }

  /** What is known of this very document, which need not be the newest one of its task. */
  findSame(task: Task): KnownTask | null {
    const known = this.#known.get(task.plan.taskId);
    return known?.task === task ? known : null;
  }

  /** The number of the task's row, whatever is known else. */
  rowOf(taskId: string): number | undefined {
    return this.#known.get(taskId)?.row;
  }

  /**
   * Keeps a task in the place of what was known of it. That does not count as a use: a task that is
   * only written falls out now and then, and is back with its next commit.
   */
  keep(known: KnownTask): void {
    const { taskId } = known.task.plan;
    this.#weight += known.weight - (this.#known.get(taskId)?.weight ?? 0);
    this.#known.set(taskId, known);
    const { tasks, characters } = this.#limits;
    while (this.#known.size > tasks || this.#weight > characters) this.#dropOldest();
  }

  /** Forgets a task: what is stored of it is not known. */
  forget(taskId: string): void {
    const known = this.#known.get(taskId);
    if (known === undefined) return;
    this.#known.delete(taskId);
    this.#weight -= known.weight;
  }

  #dropOldest(): void {
    const oldest = this.#known.keys().next();
    if (oldest.done !== true) this.forget(oldest.value);
    else this.#weight = 0;
  }
}
