import { summaryOf, type Task, TASK_STATUS, type TaskStatus } from '#core';
import type { FactLedger, JudgedSubject } from '#notifications';
import { isUnreadable, type NotificationRecord, type TaskFilter } from '#ports';
import { type Estimate, estimateTask } from '../estimate/estimate.js';
import { toldRange } from '../estimate/estimate.presenter.js';
import type { PastTasks } from '../estimate/past-tasks.js';
import type { OssOptions } from '../options.js';
import { judgeOf } from './judge-tasks.js';

/** How often deadlines are looked at, in milliseconds. */
const LOOK_MS = 30_000;

/** Tasks that are looked at each time; the next look goes on behind them. */
const TASKS_MAX = 200;

/** A person has stopped the others, and knows. */
const STATUSES: readonly TaskStatus[] = [TASK_STATUS.not_started, TASK_STATUS.running];

/** The number of tasks whose time will not be enough, by how sure that is. */
export interface RiskCounts {
  readonly likely: number;
  readonly possible: number;
}

/** Dependencies of the search for deadlines that will be missed. */
export type DeadlineParts = Pick<OssOptions, 'clock' | 'flows' | 'store'> & {
  readonly ledger: FactLedger;
  readonly past: PastTasks;
  /** Told after each round through all of these tasks. */
  readonly onCounted: (counts: RiskCounts) => void;
};

/** Where a round through the tasks stands. */
interface Round {
  readonly filters: TaskFilter[];
  readonly counts: { likely: number; possible: number };
}

/**
 * Finds tasks that will not end in their time. Only those of flows whose newest version has a
 * timeout are looked at, some at a time, so that what it costs is bounded.
 */
export class DeadlineFacts {
  private lookedAt = -Infinity;
  private round: Round | null = null;

  constructor(private readonly parts: DeadlineParts) {}

  /** Looks at some tasks, if it is time to. Throws `StoreUnavailable`. */
  async tick(all: readonly NotificationRecord[]): Promise<void> {
    const { clock, ledger } = this.parts;
    if (clock.monotonic() - this.lookedAt < LOOK_MS) return;
    this.lookedAt = clock.monotonic();
    const rules = all.filter(({ order }) => order.on.includes('deadline_at_risk'));
    const judge = judgeOf(rules, clock.now());
    const round = (this.round ??= this.begin());
    const subjects: JudgedSubject[] = [];
    for (let left = TASKS_MAX; left > 0 && round.filters.length > 0;) {
      const { filter, tasks } = await this.some(round, left);
      left -= tasks.length;
      for (const task of tasks) {
        const estimate = await estimateTask(task, { now: clock.now(), past: this.parts.past });
        const risk = estimate?.deadline?.risk ?? 'unknown';
        if (risk === 'likely' || risk === 'possible') round.counts[risk] += 1;
        if (risk === 'unknown' || rules.length === 0) continue;
        const item = summaryOf(task);
        subjects.push({ ...subjectAt(task, estimate), fits: (rule) => judge(rule, item) });
      }
      if (filter !== null) round.filters.unshift(filter);
    }
    if (round.filters.length === 0) {
      this.parts.onCounted(round.counts);
      this.round = null;
    }
    if (subjects.length > 0) await ledger.settle(rules, subjects);
  }

  private begin(): Round {
    const flows = this.parts.flows.list().filter(({ definition }) => definition.timeoutMs !== null);
    const names = new Set(flows.map(({ definition }) => definition.name));
    const filters = [...names].flatMap((flow) => STATUSES.map((s) => ({ flow, statuses: [s] })));
    return { filters, counts: { likely: 0, possible: 0 } };
  }

  /** So many tasks of the first filter at most, and the filter for the rest; null: no rest. */
  private async some(
    { filters }: Round,
    max: number,
  ): Promise<{ readonly filter: TaskFilter | null; readonly tasks: readonly Task[] }> {
    const filter = filters.shift() ?? {};
    const tasks: Task[] = [];
    let looked = 0;
    for await (const { cursor, item } of this.parts.store.walk(filter)) {
      if (!isUnreadable(item)) tasks.push(item);
      looked += 1;
      if (looked >= max) return { filter: { ...filter, cursor }, tasks };
    }
    return { filter: null, tasks };
  }
}

/** A task with its deadline at risk, or out of it. */
function subjectAt(task: Task, estimate: Estimate | null): Omit<JudgedSubject, 'fits'> {
  const { flow, taskId: id } = task.plan;
  const subject = { id, flow, mark: task.revision, kinds: ['deadline_at_risk'] as const };
  const { deadline = null, p50Ms = null, p95Ms = null } = estimate ?? {};
  if (deadline === null || deadline.risk === 'none') return { ...subject, facts: [] };
  const needs =
    p50Ms === null || p95Ms === null ? '' : `: what is left takes ${toldRange(p50Ms, p95Ms)}`;
  const end = new Date(deadline.at).toISOString();
  const message = `A task of ${flow} may not end by ${end}, its deadline${needs}`;
  return { ...subject, facts: [{ kind: 'deadline_at_risk', key: `${deadline.at}`, message }] };
}
