import { Api, type EventView, type Order, type TaskView } from '../load/index.js';
import { endOf } from './orders.js';

/** The harm that outages of a store did to tasks whose processes all lived. */
export interface Harm {
  /** Leases that were taken from living processes. */
  readonly leases: readonly string[];
  /** Attempts that had no result when their time was over. */
  readonly timeouts: readonly string[];
  /** Tasks that ended in another way than their orders say. */
  readonly ends: readonly string[];
  /** Rollbacks that failed: a person was called. */
  readonly calls: readonly string[];
}

const AT_ONCE = 16;

/** Reads the journals of all tasks. */
export async function harmTo(url: string, orders: readonly Order[]): Promise<Harm> {
  const api = new Api(url);
  const byId = new Map(orders.map((order) => [order.taskId, order]));
  const queue = [...(await api.list())];
  const harm = { leases: [], timeouts: [], ends: [], calls: [] } as Record<keyof Harm, string[]>;
  const work = async (): Promise<void> => {
    for (let task = queue.pop(); task !== undefined; task = queue.pop()) {
      const events = await api.events(task.taskId);
      for (const event of events) {
        const kind = KINDS[event.kind];
        if (kind !== undefined) harm[kind].push(lineOf(task, event));
      }
      const order = byId.get(task.taskId);
      if (order !== undefined && endOf(order) !== task.status) harm.ends.push(endLine(task, order));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return harm;
}

const KINDS: Readonly<Record<string, keyof Harm>> = {
  lease_lost: 'leases',
  timed_out: 'timeouts',
  task_rollback_failed: 'calls',
};

function lineOf({ flow, taskId }: TaskView, event: EventView): string {
  const { actor, at, attempt, direction, kind, step } = event;
  const what = `${direction} of ${step}, attempt ${attempt}`;
  return `${at} ${kind}: task ${taskId} (${flow}), ${what}, ${actor}`;
}

function endLine({ flow, status, taskId, taskMessage }: TaskView, order: Order): string {
  return `task ${taskId} (${flow}) is ${status}, not ${endOf(order)}: ${taskMessage}`;
}
