import { LIVE_STATUSES, statusName, type Task, type TaskStatus } from '#core';
import { ownersOf } from '#core/read';
import {
  type HeldPage,
  type HeldQuery,
  isUnreadable,
  type Quarantine,
  TaskUnreadable,
  type WalkedTask,
} from '#ports';
import { toColumn } from './column-text.js';
import type { WorkerLink } from './worker-link.js';

type StatusRows = readonly (readonly [TaskStatus, number])[];

/** How many tasks are in each status that is not final, as `TaskStore.countLive` gives it. */
export async function countLive(
  link: WorkerLink,
  quarantine: Quarantine,
): Promise<Readonly<Record<string, number>>> {
  // Numbers of alert tasks are below zero.
  const rows = await link.ask<StatusRows>(['countByStatus', LIVE_STATUSES]);
  const counts = new Map<TaskStatus, number>();
  for (const [status, count] of rows) counts.set(status, (counts.get(status) ?? 0) + count);
  const live = LIVE_STATUSES.map((status) => [statusName(status), counts.get(status) ?? 0]);
  return { ...Object.fromEntries(live), unreadable: quarantine.size };
}

/** How many live tasks a flow has, as `StartedTasks` gives it. */
export function countStarted(link: WorkerLink, flow: string, limit: number): Promise<number> {
  return link.ask(['countStarted', toColumn(flow), LIVE_STATUSES, limit]);
}

/** Revisions of the tasks that are there and can be read. */
export async function revisionsOf(
  taskIds: readonly string[],
  get: (taskId: string) => Promise<Task | null>,
): Promise<ReadonlyMap<string, number>> {
  const revisions = new Map<string, number>();
  const read = async (taskId: string): Promise<void> => {
    const task = await get(taskId);
    if (task !== null) revisions.set(taskId, task.revision);
  };
  for (const each of await Promise.allSettled(taskIds.map(read))) {
    if (each.status === 'rejected' && !(each.reason instanceof TaskUnreadable)) throw each.reason;
  }
  return revisions;
}

/** A page of the tasks of a walk that a session holds, in the order of their ids. */
export async function heldBy(
  session: string,
  { after = '', limit }: HeldQuery,
  walk: AsyncIterable<WalkedTask>,
): Promise<HeldPage> {
  const held: Task[] = [];
  for await (const { item } of walk) {
    if (!isUnreadable(item) && ownersOf(item).includes(session)) held.push(item);
  }
  held.sort((one, other) => (one.plan.taskId < other.plan.taskId ? -1 : 1));
  const rest = held.filter(({ plan }) => plan.taskId > after);
  const tasks = rest.slice(0, limit);
  return { tasks, next: rest.length > limit ? tasks.at(-1)!.plan.taskId : null };
}
