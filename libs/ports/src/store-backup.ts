import type { Task } from '#core';

/** Copies all that a process keeps in files of its own, while it works. */
export interface StoreBackup {
  /**
   * Takes a copy of one moment: of everything that was stored before this call, and of the
   * effects of commands as they were then. A process that starts on it goes on as after a crash
   * at that moment. One copy at a time. Throws `StoreUnavailable` where the files cannot be read,
   * or the copy cannot be written.
   */
  take(): Promise<TakenCopy>;
}

/** A copy, which lies beside the store until it is dropped. */
export interface TakenCopy {
  /** Has `backstep.db` and all that belongs to it. */
  readonly folder: string;
  /** Removes it. */
  drop(): Promise<void>;
}

/** Keeps tasks that are about to be removed from the store. */
export interface TaskArchive {
  /**
   * Writes tasks down. Resolves when they would outlive a power cut; rejects where that is not
   * certain, and then they must not be removed. A task may be written more than once.
   */
  write(tasks: readonly Task[]): Promise<void>;
}
