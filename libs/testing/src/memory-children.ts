import { type ChildCounts, countChildren, type Task } from '#core';
import type { ChildQuery, ChildRange, ChildrenOf, ChildStore, FoundChild } from '#ports';

/** Finds child tasks in memory. */
export class MemoryChildren implements ChildStore {
  constructor(private readonly open: () => ReadonlyMap<string, Task>) {}

  async count({ before = Infinity, from = 0, ...of }: ChildRange): Promise<ChildCounts> {
    const found = this.of(of).filter(({ index }) => index >= from && index < before);
    return countChildren(found.map(({ status }) => [status, 1]));
  }

  async find(query: ChildQuery): Promise<readonly FoundChild[]> {
    const { before = Infinity, limit, statuses, ...of } = query;
    const found = this.of(of).filter(({ index, status }) => {
      return index < before && statuses?.includes(status) !== false;
    });
    return found.sort((a, b) => b.index - a.index).slice(0, limit);
  }

  private of({ run, taskId }: ChildrenOf): FoundChild[] {
    return [...this.open().values()].flatMap(({ plan, status }): FoundChild[] => {
      const { parent } = plan;
      if (parent === null || parent.taskId !== taskId || parent.run !== run) return [];
      return [{ taskId: plan.taskId, index: parent.index, status }];
    });
  }
}
