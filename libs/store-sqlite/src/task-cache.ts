import type { Task } from '#core';

/** A task as stored, with what spares the next commit some work. */
export interface KnownTask {
  readonly task: Task;
  /** Number of its row; 0 until the write that makes it known is answered. */
  row: number;
  /** JSON text of each step's runs; null where the document was read and not written. */
  readonly fragments: readonly string[] | null;
  /** Journal entries in the row, those included that the task has dropped. */
  readonly journalStored: number;
  /** Roughly the characters of its texts. */
  readonly weight: number;
}

/** About how much a {@link TaskCache} holds. */
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
 *
 * It holds two generations, each of half the limits. When the recent one is full it becomes the
 * older one, and what was older and not used again is gone: so no use has to be put in order, and
 * nothing is looked for when room is needed.
 */
export class TaskCache {
  readonly #limits: CacheLimits;
  #recent = new Map<string, Slot>();
  #older = new Map<string, Slot>();
  /** Of the recent ones. */
  #weight = 0;

  constructor({ tasks, characters }: CacheLimits) {
    this.#limits = { tasks: tasks / 2, characters: characters / 2 };
  }

  /** The task, which counts as used now. */
  find(taskId: string): KnownTask | undefined {
    const known = this.#use(taskId)?.known ?? undefined;
    this.#makeRoom();
    return known;
  }

  /** What is known of the task, which does not count as a use. */
  peek(taskId: string): KnownTask | undefined {
    return (this.#recent.get(taskId) ?? this.#older.get(taskId))?.known ?? undefined;
  }

  /** Keeps a task in the place of what was known of it, unless it is too large. */
  keep(known: KnownTask): void {
    const { taskId } = known.task.plan;
    if (known.weight > this.#limits.characters) {
      this.forget(taskId);
      return;
    }
    const slot = this.#use(taskId);
    this.#weight += known.weight - (slot?.known?.weight ?? 0);
    if (slot === undefined) this.#recent.set(taskId, { known });
    else slot.known = known;
    this.#makeRoom();
  }

  /** Forgets a task: what is stored of it is not known. */
  forget(taskId: string): void {
    const slot = this.#use(taskId);
    if (slot === undefined) return;
    this.#recent.delete(taskId);
    this.#weight -= slot.known?.weight ?? 0;
    slot.known = null;
  }

  /** The place of a task, among the recent ones now. */
  #use(taskId: string): Slot | undefined {
    const recent = this.#recent.get(taskId);
    if (recent !== undefined) return recent;
    const older = this.#older.get(taskId);
    if (older === undefined) return undefined;
    this.#older.delete(taskId);
    this.#recent.set(taskId, older);
    this.#weight += older.known?.weight ?? 0;
    return older;
  }

  #makeRoom(): void {
    const { tasks, characters } = this.#limits;
    if (this.#recent.size < tasks && this.#weight <= characters) return;
    for (const slot of this.#older.values()) slot.known = null;
    this.#older = this.#recent;
    this.#recent = new Map();
    this.#weight = 0;
  }
}
