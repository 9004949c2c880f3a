import type { Task, TaskStatus } from '#core';

/** What an insert came to. `duplicate`: the idempotency key is taken, by the task given. */
export type InsertResult =
  { readonly kind: 'inserted' } | { readonly kind: 'duplicate'; readonly task: Task };

/**
 * `conflict`: the stored revision is not the one the next document was made from, or the task is
 * gone.
 */
export type CommitResult = 'committed' | 'conflict';

/** Which tasks to list, newest first. Absent members do not restrict. */
export interface TaskQuery {
  readonly flow?: string;
  readonly statuses?: readonly TaskStatus[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970, inclusive. */
  readonly createdAfter?: number;
  /** Milliseconds since 1970, exclusive. */
  readonly createdBefore?: number;
  /** 1 to 200. */
  readonly limit: number;
  /** `nextCursor` of the page before; opaque to callers. */
  readonly cursor?: string;
}

/** One page of tasks. `nextCursor` is null on the last one. */
export interface TaskPage {
  readonly items: readonly Task[];
  readonly nextCursor: string | null;
}

/**
 * Where tasks are kept. Every method may throw `StoreUnavailable`, which says nothing about whether
 * a write took effect; an implementation resolves an unknown outcome by reading back before it
 * answers.
 */
export interface TaskStore {
  /**
   * Stores a new task durably, unless its idempotency key is taken. A repeated insert of the same
   * task id succeeds.
   */
  insert(task: Task): Promise<InsertResult>;
  /**
   * Stores `next` durably if the stored revision is still `previous.revision`; `next` was made from
   * `previous` and shares with it what did not change.
   */
  commit(previous: Task, next: Task): Promise<CommitResult>;
  /**
   * The task as stored now, or null. A returned task is never older than a commit this process saw
   * succeed.
   */
  get(taskId: string): Promise<Task | null>;
  /** The task that has this idempotency key, as `get` would give it, or null. */
  findByKey(idempotencyKey: string): Promise<Task | null>;
  /**
   * Up to `limit` tasks with `wakeAt <= now`, from no particular place among the longest overdue,
   * so that several loops rarely meet. The `skip` longest overdue of all are passed over.
   */
  findDue(now: number, limit: number, skip: number): Promise<readonly Task[]>;
  /**
   * Pages through tasks, newest first; tasks created meanwhile never disturb later pages. Throws
   * `InvalidCursor` for a cursor that no page gave.
   */
  list(query: TaskQuery): Promise<TaskPage>;
  /**
   * How many tasks are in each status that is not final, by name, zeros included. Cost does not
   * grow with finished tasks.
   */
  countLive(): Promise<Readonly<Record<string, number>>>;
  /**
   * Resolves when the store answers; rejects with `StoreUnavailable` when it does not. For
   * readiness.
   */
  ping(): Promise<void>;
  /** Finishes what was accepted and lets go of the store. Safe to call twice. */
  close(): Promise<void>;
}
