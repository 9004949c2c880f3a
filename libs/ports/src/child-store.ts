import type { ChildCounts, TaskStatus } from '#core';

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
