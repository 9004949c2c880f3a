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
 * Emptied when the task is forgotten: a map that has grown anew keeps its old entries for a while.
 */
interface Slot {
  known: KnownTask | null;
}

/**
 * The tasks that were written or read last. The file belongs to this process alone, so what it was
 * told to be stored is what is stored, until it stores something else.
 */
export class TaskCache {
  readonly #limits: CacheLimits;
  /** Least recently used first. */
  readonly #slots = new Map<string, Slot>();
  #weight = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  /** The task, which counts as used now. */
  find(taskId: string): KnownTask | undefined {
    const slot = this.#slots.get(taskId);
    if (slot === undefined) return undefined;
    this.#slots.delete(taskId);
    this.#slots.set(taskId, slot);
    return slot.known ?? undefined;
  }

  /** What is known of the task, which does not count as a use. */
  peek(taskId: string): KnownTask | undefined {
    return this.#slots.get(taskId)?.known ?? undefined;
  }

  /**
   * Keeps a task in the place of what was known of it. That does not count as a use, either: a task
   * that is only written falls out now and then, and is back with its next commit.
   */
  keep(known: KnownTask): void {
    const { taskId } = known.task.plan;
    const slot = this.#slots.get(taskId);
    this.#weight += known.weight - (slot?.known?.weight ?? 0);
    if (slot === undefined) this.#slots.set(taskId, { known });
    else slot.known = known;
    const { tasks, characters } = this.#limits;
    while (this.#slots.size > tasks || this.#weight > characters) this.#dropOldest();
  }

  /** Forgets a task: what is stored of it is not known. */
  forget(taskId: string): void {
    const slot = this.#slots.get(taskId);
    if (slot === undefined) return;
    this.#slots.delete(taskId);
    this.#weight -= slot.known?.weight ?? 0;
    slot.known = null;
  }

  #dropOldest(): void {
    const oldest = this.#slots.keys().next();
    if (oldest.done !== true) this.forget(oldest.value);
    else this.#weight = 0;
  }
}
