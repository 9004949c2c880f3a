import { Injectable } from '@nestjs/common';
import type { Principal } from '#access';
import type { OperationProgress, OperationRecord, OperationRequester, TaskQuery } from '#ports';
import { readTaskSearch } from '../requests/task-search.js';
import { type Narrowed, type TaskCounts, TaskSearches } from '../tasks/task-searches.js';

/** Most tasks of one page. */
const PAGE_MAX = 200;

/** A page is the work of this many seconds, up to `PAGE_MAX` tasks. */
const PAGE_SECONDS = 2;

/** Longest wait for the count, in milliseconds. */
const COUNT_MS = 2_000;

/** The members of an operation that say which tasks are its own. */
export type OperationScope = Pick<OperationRecord, 'createdAt' | 'order' | 'requester'>;

/** How many tasks an operation is about, as far as they were counted. */
export type OperationCounted = Pick<TaskCounts, 'isComplete' | 'total'>;

/**
 * Finds the tasks of operations: those that existed when it began, and that its requester may see.
 * Lists go from the newest to the oldest, so later tasks are never met.
 */
@Injectable()
export class OperationTasks {
  constructor(private readonly searches: TaskSearches) {}

  /**
   * How many a search finds, as far as one request counts them until `signal` is aborted. Throws
   * `StoreUnavailable`.
   */
  async count(scope: OperationScope, signal: AbortSignal): Promise<OperationCounted> {
    const narrowed = await this.narrow(scope, { limit: PAGE_MAX });
    if (narrowed === null) return { total: 0, isComplete: true };
    return this.searches.count(narrowed, { by: 'status', mostMs: COUNT_MS, signal });
  }

  /**
   * The flows whose tasks it can reach, by name; null: those of any flow. Throws
   * `StoreUnavailable`.
   */
  async flows(scope: OperationScope): Promise<readonly string[] | null> {
    const narrowed = await this.narrow(scope, { limit: PAGE_MAX });
    if (narrowed === null) return [];
    const { flow, flows = null } = narrowed.query;
    return flow === undefined ? flows : [flow];
  }

  /** The page behind the one in hand; it may be empty and not the last. */
  async next(record: OperationRecord): Promise<OperationProgress> {
    const { cursor } = record.progress;
    const limit = pageSize(record.order.ratePerSecond);
    const narrowed = await this.narrow(record, { limit, ...(cursor !== null && { cursor }) });
    if (narrowed === null) return { page: [], cursor: null, isLast: true };
    const { items, nextCursor } = await this.searches.list(narrowed);
    const page = items.map(({ taskId }) => taskId);
    return { page, cursor: nextCursor, isLast: nextCursor === null };
  }

  private async narrow(
    { createdAt, order, requester }: OperationScope,
    page: Pick<TaskQuery, 'cursor' | 'limit'>,
  ): Promise<Narrowed | null> {
    const search = readTaskSearch(order.q);
    if (!('flows' in search)) return null;
    const query = { ...page, createdBefore: createdAt + 1 };
    const principal = principalOf(requester);
    return this.searches.narrow(query, search, { principal, now: createdAt });
  }
}

/** The requester, with the rights of the time of the request. */
export function principalOf(requester: OperationRequester): Principal {
  const { flows, keyId, labels, madeBy, modules, name, role } = requester;
  const maker = madeBy === undefined ? {} : { madeBy };
  return { name, role, keyId, ...maker, flows, labels, modules };
}

function pageSize(ratePerSecond: number | null): number {
  if (ratePerSecond === null) return PAGE_MAX;
  return Math.min(PAGE_MAX, Math.max(1, Math.ceil(ratePerSecond * PAGE_SECONDS)));
}
