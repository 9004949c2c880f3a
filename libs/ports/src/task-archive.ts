import type { Task } from '#core';

/** Keeps tasks that are about to be removed from the store. */
export interface TaskArchive {
  /**
   * Writes tasks down. Resolves when they would outlive a power cut; rejects where that is not
   * certain, and then they must not be removed. A task may be written more than once.
   */
  write(tasks: readonly Task[]): Promise<void>;
}
