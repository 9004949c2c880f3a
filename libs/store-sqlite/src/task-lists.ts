import { type ChildCounts, countChildren, type TaskStatus } from '#core';
import type { Draft } from '#core/task';
import type {
  ChangeMark,
  ChangeQuery,
  ChangeStore,
  ChildQuery,
  ChildRange,
  ChildStore,
  FoundChild,
  ListedTask,
  TaskQuery,
} from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import { labelColumns, originSought } from './sought-columns.js';
import { decodeCursor } from './page-cursor.js';
import type { ChildFilter, ListFilter, StoredChild, StoredSummaries } from './protocol.js';
import type { TaskReader } from './task-reader.js';
import { partsOf } from './term-lines.js';
import type { WorkerLink } from './worker-link.js';

/**
 * The changes, in the order in which the worker wrote them: reads see nothing of a transaction that
 * has not ended, so no change comes into sight after one with a larger number.
 */
export class SqliteChanges implements ChangeStore {
  readonly overlap = { near: 0, far: 0 };
  readonly #link: WorkerLink;
  readonly #reader: TaskReader;

  constructor(link: WorkerLink, reader: TaskReader) {
    this.#link = link;
    this.#reader = reader;
  }

  newest(): Promise<number> {
    return this.#link.ask<number>(['readChanges', ['newest']]);
  }

  async find({ after, from, limit }: ChangeQuery): Promise<readonly ChangeMark[]> {
    // No two tasks have the same number.
    const first = after === undefined ? from : Math.max(from, after.at + 1);
    const rows = await this.#link.ask<readonly (readonly [number, string])[]>([
      'readChanges',
      ['from', first, limit],
    ]);
    return Array.from(rows, ([at, taskId]) => ({ at, taskId: fromColumn(taskId) }));
  }

  async summaries(taskIds: readonly string[]): Promise<readonly ListedTask[]> {
    if (taskIds.length === 0) return [];
    const ids = taskIds.map(toColumn);
    const { summaries } = await this.#link.ask<StoredSummaries>([
      'readChanges',
      ['summaries', ids],
    ]);
    await this.#reader.check(summaries);
    return Array.from(summaries, (stored) => this.#reader.listed(stored));
  }
}

/** Finds child tasks, in the file of the store. */
export class SqliteChildren implements ChildStore {
  readonly #link: WorkerLink;

  constructor(link: WorkerLink) {
    this.#link = link;
  }

  async count({ before, from = 0, run, taskId }: ChildRange): Promise<ChildCounts> {
    const end = before ?? Number.MAX_SAFE_INTEGER;
    const request = ['countChildren', toColumn(taskId), toColumn(run), from, end] as const;
    return countChildren(await this.#link.ask<readonly (readonly [TaskStatus, number])[]>(request));
  }

  async find({ before, limit, run, statuses, taskId }: ChildQuery): Promise<readonly FoundChild[]> {
    const filter: ChildFilter = {
      parent: toColumn(taskId),
      run: toColumn(run),
      statuses: statuses ?? null,
      before: before ?? Number.MAX_SAFE_INTEGER,
      limit,
    };
    const rows = await this.#link.ask<readonly StoredChild[]>(['findChildren', filter]);
    return Array.from(rows, ([id, index, status]) => {
      return { taskId: fromColumn(id), index, status: status as TaskStatus };
    });
  }
}

/**
 * A query as the worker understands it. Throws `InvalidCursor` for a cursor that no page gave. Each
 * member costs as much as a look at a row on its way to the worker: most queries have few.
 */
export function toListFilter(query: TaskQuery): ListFilter {
  const { createdAfter, createdBefore, cursor, idPrefix, limit, parent, statuses } = query;
  const filter: Draft<ListFilter> = { limit };
  const flows = flowsOf(query);
  const labels = labelColumns(query);
  const origin = originSought(query);
  const terms = partsOf(query);
  if (flows !== undefined) filter.flows = [...new Set(flows)].map(toColumn);
  if (statuses !== undefined) filter.statuses = statuses;
  if (labels !== null) filter.labels = labels;
  if (origin.length > 0) filter.origin = origin;
  if (query.waitsForPerson === true) filter.waits = true;
  if (parent !== undefined) filter.parent = toColumn(parent);
  if (query.isTopLevel === true) filter.isTopLevel = true;
  if (query.withoutAlerts === true) filter.withoutAlerts = true;
  if (idPrefix !== undefined) filter.idPrefix = toColumn(idPrefix);
  if (terms.length > 0) filter.terms = terms;
  if (createdAfter !== undefined) filter.createdAfter = createdAfter;
  if (createdBefore !== undefined) filter.createdBefore = createdBefore;
  if (cursor !== undefined) filter.beyond = decodeCursor(cursor);
  if (query.isOldestFirst === true) filter.isOldestFirst = true;
  return filter;
}

function flowsOf({ flow, flows }: TaskQuery): readonly string[] | undefined {
  if (flow === undefined) return flows;
  return flows === undefined || flows.includes(flow) ? [flow] : [];
}
