import type { Task } from '#core';
import type { FinalStore } from '#ports';

/** Where tasks and their idempotency keys are. */
interface TaskContents {
  readonly tasks: Map<string, Task>;
  readonly keys: Map<string, string>;
}

/** Removes final tasks from memory. */
export class MemoryFinals implements FinalStore {
  constructor(
    private readonly open: () => TaskContents,
    private readonly answer: () => void,
  ) {}

  async remove(tasks: readonly Task[]): Promise<number> {
    const contents = this.open();
    const found = tasks.filter(({ plan, revision }) => {
      return contents.tasks.get(plan.taskId)?.revision === revision;
    });
    for (const { plan } of found) {
      contents.tasks.delete(plan.taskId);
      if (plan.idempotencyKey !== null) contents.keys.delete(plan.idempotencyKey);
    }
    this.answer();
    return found.length;
  }

  async findPresent(taskIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { tasks } = this.open();
    return new Set(taskIds.filter((taskId) => tasks.has(taskId)));
  }
}
