import type { Task } from '#core';
import { summaryOf } from '#core/stored';
import type { ChangeMark, ChangeQuery, ChangeStore, ListedTask } from '#ports';

/** The changes that a memory store keeps. */
interface ChangeContents {
  readonly tasks: ReadonlyMap<string, Task>;
  readonly changes: ChangeNumbers;
}

/** Which numbers were given. */
export interface ChangeNumbers {
  newest: number;
  /** By the ids of tasks, the latest last; those of tasks that are gone, too. */
  readonly marks: Map<string, number>;
}

/** Tells what has changed in memory. */
export class MemoryChanges implements ChangeStore {
  readonly overlap = { near: 0, far: 0 };

  constructor(
    private readonly open: () => ChangeContents,
    private readonly reasonOf: (taskId: string) => string | undefined,
  ) {}

  async newest(): Promise<number> {
    return this.open().changes.newest;
  }

  async find({ after, from, limit }: ChangeQuery): Promise<readonly ChangeMark[]> {
    const { changes, tasks } = this.open();
    const first = Math.max(from, (after?.at ?? -1) + 1);
    const found = [...changes.marks].filter(([taskId, at]) => at >= first && tasks.has(taskId));
    return found.slice(0, limit).map(([taskId, at]) => ({ at, taskId }));
  }

  async summaries(taskIds: readonly string[]): Promise<readonly ListedTask[]> {
    const { tasks } = this.open();
    return taskIds.flatMap((taskId): readonly ListedTask[] => {
      const task = tasks.get(taskId);
      const reason = this.reasonOf(taskId);
      if (task === undefined) return [];
      return [reason === undefined ? summaryOf(task) : { taskId, reason }];
    });
  }
}

/** Gives a task the next number. */
export function noteChange({ changes }: Pick<ChangeContents, 'changes'>, taskId: string): void {
  changes.newest += 1;
  changes.marks.delete(taskId);
  changes.marks.set(taskId, changes.newest);
}
