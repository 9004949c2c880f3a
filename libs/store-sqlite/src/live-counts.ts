import { LIVE_STATUSES, statusName, type TaskStatus } from '#core';
import type { Quarantine } from '#ports';
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
