import type { ChildCounts, Task, TaskStatus } from '#core';
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

/** The child tasks of one step in one of its goings; `run` as their `parent` has it. */
export interface ChildrenOf {
  readonly taskId: string;
  readonly run: string;
}

/** Child tasks of which the indexes lie side by side. */
export interface ChildRange extends ChildrenOf {
  /** Only those of this index, or a higher one. Default: 0. */
  readonly from?: number;
  /** Only those of a lower index. Default: all. */
  readonly before?: number;
}

/** Which child tasks are looked for. */
export interface ChildQuery extends Omit<ChildRange, 'from'> {
  /** Absent: of whatever status. */
  readonly statuses?: readonly TaskStatus[];
  /** At least 1. */
  readonly limit: number;
}

/** A child task as it is found. */
export interface FoundChild {
  readonly taskId: string;
  readonly index: number;
  readonly status: TaskStatus;
}

/**
 * Finds child tasks by their parents. It sees what this process stored, and what others stored that
 * is durable. Every method may throw `StoreUnavailable`.
 */
export interface ChildStore {
  /** How they stand. Reads an index, of that the part in the range alone, and none of the tasks. */
  count(range: ChildRange): Promise<ChildCounts>;
  /** The first of them in the order of their indexes, the highest first. */
  find(query: ChildQuery): Promise<readonly FoundChild[]>;
}

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
