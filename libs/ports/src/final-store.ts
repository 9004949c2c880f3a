import type { Task } from '#core';

/**
 * Takes final tasks out of a store. Every method may throw `StoreUnavailable`, which says nothing
 * about whether a removal took effect; doing it again is harmless.
 */
export interface FinalStore {
  /**
   * Removes those of these final tasks that still have the revision given, with all that belongs
   * to them: their idempotency keys, which can be used again, their labels and their journals.
   * Resolves to how many this call removed, once that is durable. The caller sees to it that nobody
   * needs them any more.
   */
  remove(tasks: readonly Task[]): Promise<number>;
  /**
   * Which of these tasks are there, those included that cannot be read. Reads none of them. Sees
   * what this process stored, and what others stored that is durable.
   */
  findPresent(taskIds: readonly string[]): Promise<ReadonlySet<string>>;
}
