import type { Task } from '#core';
import { ownersOf } from '#core/read';
import type { Fragments, RunsPlace } from './runs-text.js';

/** A task as stored, with what spares the next commit some work. */
export interface KnownTask extends RunsPlace {
  readonly task: Task;
  /** Number of its row; 0 until the write that makes it known is answered. */
  row: number;
  /** JSON text of each step's runs, as far as it is kept; null: none was written. */
  readonly fragments: Fragments | null;
  /** How many of its scopes stand each in a text of its own. */
  readonly apart: number;
  /** Journal entries that are stored, those included that the task has dropped. */
  readonly journalStored: number;
  /** How many of them are in the row: the newest. */
  readonly journalTail: number;
  /** Segments of older ones beside the row. */
  readonly segments: number;
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
 * Emptied when the task is forgotten: a map that has grown again keeps its old entries for a while.
 */
interface Slot {
  known: KnownTask | null;
  /** The weight of the task among those of its generation. */
  counted: number;
}

/**
 * The tasks that were written or read last. The file belongs to this process alone, so what it was
 * told to be stored is what is stored, until it stores something else.
 *
 * It holds two generations, each of half the limits. When the recent one is full it becomes the
 * older one, and what was older and not used again is gone: so no use has to be put in order, and
 * nothing is looked for when room is needed. Those that came and were forgotten since count as
 * well: else tasks that only wait would stay for as long as all others finish. Tasks with an action
 * that runs are about to be written again, and all of a long one would be written where nothing is
 * known of it: they stay, as long as they alone would fill no more than a generation.
 */
export class TaskCache {
  readonly #limits: CacheLimits;
  #recent = new Map<string, Slot>();
  #older = new Map<string, Slot>();
  /** Of the recent ones. */
  #weight = 0;
  /** How many have entered the recent ones, also those that are gone again. */
  #entered = 0;

  constructor({ tasks, characters }: CacheLimits) {
    this.#limits = { tasks: tasks / 2, characters: characters / 2 };
  }

  /** The task, which counts as used now. */
  find(taskId: string): KnownTask | undefined {
    const known = this.#use(taskId)?.known ?? undefined;
    this.#makeRoom();
    return known;
  }

  /** The cached state of the task. Reading it does not count as a use. */
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
    if (slot === undefined) {
      this.#recent.set(taskId, { known, counted: known.weight });
      this.#entered += 1;
      this.#weight += known.weight;
    } else {
      const more = known.weight - (slot.known?.weight ?? 0);
      slot.known = known;
      slot.counted += more;
      this.#weight += more;
    }
    this.#makeRoom();
  }

  /** Forgets a task: what is stored of it is not known. */
  forget(taskId: string): void {
    const slot = this.#use(taskId);
    if (slot === undefined) return;
    this.#recent.delete(taskId);
    this.#weight -= slot.counted;
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
    this.#entered += 1;
    older.counted = older.known?.weight ?? 0;
    this.#weight += older.counted;
    return older;
  }

  #makeRoom(): void {
    const { tasks, characters } = this.#limits;
    if (this.#entered < tasks && this.#weight <= characters) return;
    const kept = new Map<string, Slot>();
    let room = characters;
    for (const [taskId, slot] of this.#older) {
      const { known } = slot;
      if (kept.size < tasks / 2 && known !== null && known.weight <= room && isRunning(known)) {
        room -= known.weight;
        // Tasks kept in this way take no room from those in use: it would be full at once.
        slot.counted = 0;
        kept.set(taskId, slot);
      } else slot.known = null;
    }
    this.#older = this.#recent;
    this.#recent = kept;
    this.#entered = kept.size;
    this.#weight = 0;
  }
}

function isRunning({ task }: KnownTask): boolean {
  return ownersOf(task).length > 0;
}
