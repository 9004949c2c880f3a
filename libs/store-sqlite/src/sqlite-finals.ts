import type { Task } from '#core';
import type { FinalStore } from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import { labelColumns } from './sought-columns.js';
import type { RemovalCells } from './protocol.js';
import type { TaskCache } from './task-cache.js';
import type { WorkerLink } from './worker-link.js';

/** Removes final tasks from the file of the store. The room that they took is used again. */
export class SqliteFinals implements FinalStore {
  readonly #cache: TaskCache;
  readonly #link: WorkerLink;

  constructor(link: WorkerLink, cache: TaskCache) {
    this.#cache = cache;
    this.#link = link;
  }

  async remove(tasks: readonly Task[]): Promise<number> {
    if (tasks.length === 0) return 0;
    const cells = tasks.map(({ plan, revision }): RemovalCells => {
      const { createdAt, taskId } = plan;
      return [toColumn(taskId), revision, createdAt, labelColumns(plan)];
    });
    try {
      return await this.#link.ask<number>(['removeTasks', cells]);
    } finally {
      for (const { plan } of tasks) this.#cache.forget(plan.taskId);
    }
  }

  async findPresent(taskIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (taskIds.length === 0) return new Set();
    const found = await this.#link.ask<readonly string[]>(['findPresent', taskIds.map(toColumn)]);
    return new Set(Array.from(found, fromColumn));
  }
}
