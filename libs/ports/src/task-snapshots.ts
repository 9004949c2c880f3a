import type { Task } from '#core';

/** Tasks as texts in messages, by which a process decides on one without reading it. */
export interface TaskSnapshots {
  /** The stored task as text; null where none travels. Costs little, and nothing is asked. */
  textOf(task: Task): string | null;
  /**
   * The task that a text tells of, true or not; null where this process cannot tell. It is good for
   * one thing: as `previous` of a commit, which is a conflict unless the stored task is the very
   * same, in every member. Asks nothing, throws nothing.
   */
  recall(text: string): Task | null;
  /** The revision that a text tells of, true or not; 0 where it tells of none. Throws nothing. */
  revisionIn(text: string): number;
}
