import type { Registry } from 'prom-client';
import { statusName, TASK_STATUS, type TaskStatus } from '#core';
import type { TaskSummary } from '#core/stored';
import { type Clock, isUnreadable, type TaskStore } from '#ports';
import { liveGauge } from '#process';

/** Tasks that are read for one answer at most, and at a time. */
const TASKS_MAX = 1_000;
const TASKS_AT_A_TIME = 200;

/** Statuses that say for what a task waits, whatever else it asks. */
const HELD: ReadonlySet<TaskStatus> = new Set([TASK_STATUS.on_hold, TASK_STATUS.rollback_failed]);

/** Dependencies of the metrics of tasks that wait. */
interface WaitingParts {
  readonly store: Pick<TaskStore, 'list'>;
  readonly clock: Pick<Clock, 'after' | 'now'>;
}

/** Tasks of one flow that wait for the same thing. */
interface WaitingGroup {
  readonly labels: { readonly flow: string; readonly reason: string };
  count: number;
}

/**
 * Adds how many tasks wait for a person, by flow and by what they wait for, and for each flow how
 * long its oldest approval has been waited for.
 */
export function addWaitingMetrics(registry: Registry, { clock, store }: WaitingParts): void {
  const counts = liveGauge({
    name: 'backstep_tasks_waiting',
    help: 'Tasks that wait for a person: for an approval, on hold, or after a failed rollback',
    labels: ['flow', 'reason'],
    clock,
    async read() {
      const groups = groupsOf(await waitingTasks(store));
      return groups.map(({ count, labels }) => ({ labels, value: count }));
    },
  });
  const ages = liveGauge({
    name: 'backstep_approval_wait_seconds',
    help: 'How long the oldest approval of each flow has been waited for',
    labels: ['flow'],
    clock,
    async read() {
      const oldest = oldestApprovals(await waitingTasks(store));
      return [...oldest].map(([flow, since]) => {
        return { labels: { flow }, value: Math.max(0, clock.now() - since) / 1_000 };
      });
    },
  });
  for (const gauge of [counts, ages]) registry.registerMetric(gauge);
}

async function waitingTasks(store: WaitingParts['store']): Promise<readonly TaskSummary[]> {
  const found: TaskSummary[] = [];
  let cursor: string | null = null;
  let read = 0;
  do {
    const page = await store.list({
      waitsForPerson: true,
      limit: TASKS_AT_A_TIME,
      ...(cursor !== null && { cursor }),
    });
    found.push(...page.items.flatMap((item) => (isUnreadable(item) ? [] : [item])));
    read += page.items.length;
    cursor = page.nextCursor;
  } while (cursor !== null && read < TASKS_MAX);
  return found;
}

function groupsOf(tasks: readonly TaskSummary[]): readonly WaitingGroup[] {
  const groups = new Map<string, WaitingGroup>();
  for (const { flow, status } of tasks) {
    const reason = HELD.has(status) ? statusName(status) : 'approval';
    const key = `${reason} ${flow}`;
    const group = groups.get(key) ?? { labels: { flow, reason }, count: 0 };
    group.count += 1;
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Since when, milliseconds since 1970, by flow. */
function oldestApprovals(tasks: readonly TaskSummary[]): ReadonlyMap<string, number> {
  const oldest = new Map<string, number>();
  for (const { approvals, flow } of tasks) {
    for (const { since } of approvals) {
      oldest.set(flow, Math.min(since, oldest.get(flow) ?? since));
    }
  }
  return oldest;
}
