import { LIVE_STATUSES, type Task } from '#core';
import { transition } from '#core/transitions';
import { isUnreadable } from '#ports';
import type { EngineParts } from './parts.js';
import type { EngineState } from './engine-state.js';
import { UnmovableTasks } from './unmovable-tasks.js';

/** Tasks that are taken up at a time: enough to be written together, few enough to be held. */
const AT_ONCE = 64;

/**
 * Takes up every live task after a restart, without waiting for leases of the former life. Only a
 * process that is the only one to run the store's tasks may do this: the embedded store, held
 * exclusively, proves it. It takes up everything before anything starts, so that what goes first is
 * the same as before the restart.
 */
export class Recovery {
  private readonly unmovable: UnmovableTasks;

  constructor(
    private readonly parts: Pick<EngineParts, 'observer' | 'store'>,
    private readonly state: EngineState,
  ) {
    this.unmovable = new UnmovableTasks(parts.observer);
  }

  /**
   * Resolves to the number of tasks taken up. A task that cannot be read or taken up is left alone.
   * Throws `StoreUnavailable`.
   */
  async run(): Promise<number> {
    const underWay = new Set<Promise<unknown>>();
    let found = 0;
    for await (const { item } of this.parts.store.walk({ statuses: LIVE_STATUSES })) {
      if (isUnreadable(item)) continue;
      const job: Promise<unknown> = this.takeUp(item).then((isTaken) => {
        found += isTaken ? 1 : 0;
        return underWay.delete(job);
      });
      underWay.add(job);
      if (underWay.size >= AT_ONCE) await Promise.race(underWay);
    }
    await Promise.all(underWay);
    return found;
  }

  private async takeUp(task: Task): Promise<boolean> {
    if (task.outcome !== null) return false;
    const { sender, session, writer } = this.state;
    const event = { kind: 'restarted', owner: session.name } as const;
    // Nothing is claimed here: its order time, not its place in the store, says what starts first.
    const result = await writer
      .write(task, (current, moment) => transition(current, event, { moment }))
      .catch((error: unknown) => this.unmovable.tell(task, error));
    if (result?.kind !== 'committed') return false;
    await sender.send(result.dispatches);
    return true;
  }
}
