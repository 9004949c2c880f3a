import { type ChildCounts, countChildren, type TaskStatus } from '#core';
import type {
  ChangeMark,
  ChangeQuery,
  ChangeStore,
  ChildQuery,
  ChildRange,
  ChildStore,
  FoundChild,
  ListedTask,
} from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import type { ChildFilter, StoredChild, StoredSummaries } from './protocol.js';
import type { TaskReader } from './task-reader.js';
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
