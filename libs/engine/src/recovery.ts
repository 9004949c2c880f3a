import { isFinal, LIVE_STATUSES, type Task, transition } from '#core';
import { moveTask } from './move-task.js';
import type { EngineParts, EngineSettings } from './parts.js';
import type { StepRunner } from './step-runner.js';

/**
 * Takes up every live task after a restart, without waiting for leases of the former life. Only a
 * process that is the only one to run the store's tasks may do this: the embedded store, held
 * exclusively, proves it.
 */
export class Recovery {
  constructor(
    private readonly parts: EngineParts,
    private readonly settings: EngineSettings,
    private readonly runner: StepRunner,
  ) {}

  /** Resolves to the number of tasks taken up. Throws `StoreUnavailable`. */
  async run(): Promise<number> {
    let found = 0;
    let cursor: string | undefined;
    do {
      const query = {
        statuses: LIVE_STATUSES,
        limit: 200,
        ...(cursor !== undefined && { cursor }),
      };
      const page = await this.parts.store.list(query);
      const results = await Promise.all(page.items.map((task) => this.takeUp(task)));
      found += results.filter(Boolean).length;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  }

  private async takeUp(task: Task): Promise<boolean> {
    if (isFinal(task.status)) return false;
    const { runner } = this;
    const event = { kind: 'restarted', owner: this.settings.owner } as const;
    const result = await moveTask(runner, task, (current, options) =>
      transition(current, event, options),
    );
    if (result.kind !== 'committed') return false;
    await runner.sender.send(result.dispatches);
    return true;
  }
}
