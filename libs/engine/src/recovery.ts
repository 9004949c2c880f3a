import { LIVE_STATUSES, type Task } from '#core';
import { transition } from '#core/transitions';
import { isOutage, isUnreadable, type Observer, TaskUnreadable } from '#ports';
import type { EngineParts } from './parts.js';
import type { EngineState } from './engine-state.js';

/** Tasks that are taken up at a time: enough to be written together, few enough to be held. */
const AT_ONCE = 64;

/** Most tasks that are remembered; more would be told of again. */
const KEPT_MAX = 10_000;

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

/** Tells of tasks that could be read and yet not be moved, so that no other task waits for them. */
export class UnmovableTasks {
  /** Revision by task: a loop meets the same ones again and again. */
  private readonly told = new Map<string, number>();

  constructor(private readonly observer: Pick<Observer, 'noticed'>) {}

  /**
   * Tells of a task once per revision; throws what is not this task's own fault. One that cannot be
   * read was told of by the store.
   */
  tell({ plan, revision }: Task, error: unknown): undefined {
    if (isOutage(error)) throw error;
    const { taskId } = plan;
    if (error instanceof TaskUnreadable || this.told.get(taskId) === revision) return;
    if (this.told.size >= KEPT_MAX) this.told.clear();
    this.told.set(taskId, revision);
    const message = `task ${taskId} cannot be moved`;
    this.observer.noticed({ level: 'error', name: 'unmovable_task', message, taskId, error });
  }
}
