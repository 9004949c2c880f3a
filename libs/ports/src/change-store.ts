import type { ListedTask } from './task-store.js';

/** Where a notable change of a task stands among all others. */
export interface ChangeMark {
  /** Later changes have a larger number, or the same. */
  readonly at: number;
  readonly taskId: string;
}

/** Which changes are looked for. */
export interface ChangeQuery {
  /** Those with this number and larger ones. */
  readonly from: number;
  /** Only those behind this one, in the order of numbers and ids; absent: all. */
  readonly after?: ChangeMark | undefined;
  /** At least 1. */
  readonly limit: number;
}

/**
 * How far back, in numbers, changes may stand that came into sight late: `near` nearly always,
 * `far` ever. Both 0: changes come into sight in the order of their numbers, each with a number of
 * its own.
 */
interface ChangeOverlap {
  readonly near: number;
  readonly far: number;
}

/**
 * Tells which tasks have changed notably (`isNotableChange` of the core; a new task has, too). Each
 * task stands in the order once, by its latest such change: whoever was away finds how it stands
 * now, and not what it went through. Every method may throw `StoreUnavailable`.
 */
export interface ChangeStore {
  readonly overlap: ChangeOverlap;
  /** Number of the latest change; 0: there was none. It never becomes smaller. */
  newest(): Promise<number>;
  /** In the order of their numbers, and of ids where these are the same. Reads no document. */
  find(query: ChangeQuery): Promise<readonly ChangeMark[]>;
  /** The list entries of these tasks, in any order; tasks that are gone are left out. */
  summaries(taskIds: readonly string[]): Promise<readonly ListedTask[]>;
}
