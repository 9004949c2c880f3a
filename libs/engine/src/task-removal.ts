import type { Task } from '#core';
import type { FinalStore, OutputPart, Records, StoredProgress, TaskArchive } from '#ports';
import { StoreUnavailable } from '#ports';

/** Parts of what attempts wrote that are removed in one write. */
const ROUND_SAID = 500;

/** The parts that removals work with. */
interface RemovalParts {
  readonly finals: FinalStore;
  /** The output and the progress of attempts. */
  readonly said: readonly Pick<Records<OutputPart | StoredProgress, 'task'>, 'removeAll'>[];
  /** Where tasks are written before they are removed; null: nowhere. */
  readonly archive: TaskArchive | null;
}

/**
 * Removes final tasks at rest with all that belongs to them, for retention and for people. The task
 * of a child goes after its parent's, because the parent's undoing needs it.
 */
export class TaskRemoval {
  constructor(private readonly parts: RemovalParts) {}

  /** Whether tasks are archived first. */
  get isArchiving(): boolean {
    return this.parts.archive !== null;
  }

  /** Those that are nobody's child, or whose parent is gone. Throws `StoreUnavailable`. */
  async withoutParents(tasks: readonly Task[]): Promise<readonly Task[]> {
    const parents = new Set(tasks.flatMap(({ plan }) => plan.parent?.taskId ?? []));
    if (parents.size === 0) return tasks;
    const present = await this.parts.finals.findPresent([...parents]);
    return tasks.filter(({ plan }) => plan.parent === null || !present.has(plan.parent.taskId));
  }

  /**
   * Archives tasks that are at rest and without parents, and removes those that still have the
   * revision given. Resolves to how many. Throws `StoreUnavailable`, also where they cannot be
   * archived; doing it again is harmless.
   */
  async remove(tasks: readonly Task[]): Promise<number> {
    if (tasks.length === 0) return 0;
    const { archive, finals } = this.parts;
    await archive?.write(tasks).catch((cause: unknown) => {
      throw new StoreUnavailable(`tasks cannot be archived: ${String(cause)}`, { cause });
    });
    // First: of a task that is gone nobody would look for it.
    await this.removeSaid(tasks.map(({ plan }) => plan.taskId));
    return finals.remove(tasks);
  }

  private async removeSaid(taskIds: readonly string[]): Promise<void> {
    for (const { removeAll } of this.parts.said) {
      const query = { index: 'task', anyOf: taskIds, limit: ROUND_SAID } as const;
      while ((await removeAll(query)) === ROUND_SAID);
    }
  }
}
