import { type Task, TASK_STATUS, type TaskStatus } from '#core';
import { summaryOf } from '#core/stored';
import type { Fact, FactLedger, JudgedSubject } from '#notifications';
import {
  isUnreadable,
  type NotificationKind,
  type NotificationRecord,
  type TaskFilter,
} from '#ports';
import { type Deadline, type Estimate, estimateTask } from '../estimate/estimate.js';
import { toldRange } from '../estimate/estimate.presenter.js';
import type { PastTasks } from '../estimate/past-tasks.js';
import type { OssOptions } from '../options.js';
import { judgeOf } from './judge-tasks.js';
import { timeText } from '../requests/shown.js';

/** How often deadlines are looked at, in milliseconds. */
const LOOK_MS = 30_000;

/** So long before the last moment to go back a person is called: two looks, and time to act. */
const LAST_CALL_MS = 4 * LOOK_MS;

const KIND = 'deadline_at_risk' satisfies NotificationKind;

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
type DeadlineParts = Pick<OssOptions, 'clock' | 'flows' | 'store'> & {
  readonly ledger: FactLedger;
  readonly past: PastTasks;
  /** Called after each round through all of these tasks. */
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
    const rules = all.filter(({ order }) => order.on.includes(KIND));
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
        if (!tells(estimate, clock.now()) || rules.length === 0) continue;
        const item = summaryOf(task);
        const subject = subjectAt(task, clock.now(), estimate);
        subjects.push({ ...subject, fits: (rule) => judge(rule, item) });
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

  /** This many tasks of the first filter at most, and the filter for the rest; null: no rest. */
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

/** Whether past tasks tell that the deadline is at risk, or out of it. */
function tells(estimate: Estimate | null, now: number): boolean {
  const deadline = estimate?.deadline ?? null;
  return deadline !== null && (deadline.risk !== 'unknown' || isLastCall(deadline, now));
}

/** A task with its deadline at risk, or out of it. */
function subjectAt(
  task: Task,
  now: number,
  estimate: Estimate | null,
): Omit<JudgedSubject, 'fits'> {
  const { flow, taskId: id } = task.plan;
  const subject = { id, flow, mark: task.revision, kinds: [KIND] as const };
  const { deadline = null } = estimate ?? {};
  if (estimate === null || deadline === null || deadline.risk === 'none') {
    return { ...subject, facts: [] };
  }
  const facts = [];
  if (deadline.risk !== 'unknown') facts.push(riskFact(flow, deadline, estimate));
  if (isLastCall(deadline, now)) facts.push(lastCallFact(flow, deadline));
  return { ...subject, facts };
}

function riskFact(flow: string, { at }: Deadline, { p50Ms, p95Ms }: Estimate): Fact {
  const needs =
    p50Ms === null || p95Ms === null ? '' : `: the rest takes ${toldRange(p50Ms, p95Ms)}`;
  const message = `A task of ${flow} may not end by ${timeText(at)}, its deadline${needs}`;
  return { kind: KIND, key: `${at}`, message };
}

/** Whether it has to go back before the next looks, or had to. */
function isLastCall({ abortBy }: Deadline, now: number): boolean {
  return abortBy !== null && now >= abortBy - LAST_CALL_MS;
}

function lastCallFact(flow: string, { abortBy, at }: Deadline): Fact {
  const undone = `to be undone by ${timeText(at)}, its deadline`;
  const message = `A task of ${flow} has to start its rollback by ${timeText(abortBy ?? at)} ${undone}`;
  return { kind: KIND, key: `${at} last call`, message };
}
