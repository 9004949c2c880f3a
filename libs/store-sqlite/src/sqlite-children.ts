import { type ChildCounts, countChildren, type TaskStatus } from '#core';
import type { ChildQuery, ChildRange, ChildStore, FoundChild } from '#ports';
import type { ChildFilter, StoredChild } from './protocol.js';
import { fromColumn, toColumn } from './column-text.js';
import type { WorkerLink } from './worker-link.js';

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
