import {
  type ActionRun,
  isAlertTask,
  isFinal,
  type JournalEntry,
  statusName,
  type Task,
} from '#core';
import { placeOf } from '#core/scopes';
import type { Observer, StatisticsRow, StatisticsSpan } from '#ports';
import { endedAttempt, pathOf } from '../ended-attempt.js';
import type { ActionOutcome, FlowCounter } from './flow-counter.js';
import { SpanCounters } from './span-counters.js';

/**
 * Counts how flows do, by the hour and by the day of UTC. A fact costs a few look-ups and
 * additions. A task that runs a part of its parent's flow counts with its steps alone, under the
 * step that holds these. Alert tasks do not count.
 */
export class StatisticsObserver implements Observer {
  readonly #spans: Readonly<Record<StatisticsSpan, SpanCounters>>;

  /** `owner`: a name that no other process has, and that this one has never had before. */
  constructor(owner: string) {
    this.#spans = { hour: new SpanCounters('hour', owner), day: new SpanCounters('day', owner) };
  }

  committed(task: Task, entries: readonly JournalEntry[]): void {
    if (isAlertTask(task.plan.parent)) return;
    for (const entry of entries) this.#count(task, entry);
  }

  /** Notices are of processes, not of flows. */
  noticed(): void {}

  /** The counters that have something that is not stored. */
  changed(): readonly FlowCounter[] {
    return [...this.#spans.hour.changed(), ...this.#spans.day.changed()];
  }

  /** Lets go of counters of past spans that are stored. */
  forgetStored(): void {
    this.#spans.hour.forgetStored();
    this.#spans.day.forgetStored();
  }

  /** The counts of a flow that this process still has, stored or not. */
  rowsOf(flow: string, span: StatisticsSpan): readonly StatisticsRow[] {
    return this.#spans[span].rowsOf(flow);
  }

  #count(task: Task, entry: JournalEntry): void {
    switch (entry.kind) {
      case 'created':
        if (isWhole(task)) this.#each(task, entry, (flow) => flow.addStarted());
        return;
      case 'succeeded':
      case 'failed':
      case 'timed_out':
      case 'lease_lost':
      case 'called_off':
        return this.#countAttempt(task, entry);
      case 'task_rollback_failed':
        return this.#each(task, entry, (flow) => flow.addRollbackFailed());
      case 'task_succeeded':
      case 'task_rolled_back':
      case 'task_terminated':
        return this.#countEnd(task, entry);
      default:
    }
  }

  #countAttempt(task: Task, entry: JournalEntry): void {
    const { direction } = entry;
    if (direction !== 'normal' && direction !== 'rollback') return;
    const run = runOf(task, entry);
    const { durationMs, isOver } = endedAttempt(task, entry, run);
    const outcome = isOver ? outcomeOf(entry) : 'retries';
    const error = errorOf(entry, run);
    const step = stepOf(task, entry);
    this.#each(task, entry, (flow) => flow.action(step, direction).add(outcome, durationMs, error));
  }

  #countEnd(task: Task, entry: JournalEntry): void {
    if (!isFinal(task.status) || !isWhole(task)) return;
    const { endedAt, plan } = task;
    const durationMs = (endedAt ?? entry.at) - plan.createdAt;
    const status = statusName(task.status);
    this.#each(task, entry, (flow) => flow.addEnded(status, durationMs));
  }

  #each({ plan }: Task, { at }: JournalEntry, count: (flow: FlowCounter) => void): void {
    count(this.#spans.hour.at(at, plan.flow));
    count(this.#spans.day.at(at, plan.flow));
  }
}

/** Whether a task is one of its flow, and not of a part of it. */
function isWhole({ plan }: Task): boolean {
  return plan.parent === null || !plan.parent.isPart;
}

/** The run that an entry is about; null: another try of its group has taken its place. */
function runOf(task: Task, { direction, run, step = '' }: JournalEntry): ActionRun | null {
  const place = placeOf(task, run ?? step);
  const runs = place === null ? undefined : task.runs[place];
  return (direction === 'rollback' ? runs?.rollback : runs?.normal) ?? null;
}

/** Names of the steps around a step and its own, also of those that hold its task. */
function stepOf({ plan }: Task, { run, step = '' }: JournalEntry): string {
  const path = run === undefined ? step : pathOf(run);
  const { parent } = plan;
  return parent?.isPart === true ? `${pathOf(parent.run)}/${path}` : path;
}

function outcomeOf({ kind }: JournalEntry): ActionOutcome {
  if (kind === 'succeeded') return 'succeeded';
  return kind === 'called_off' ? 'cancelled' : 'failed';
}

/** The code that an attempt failed with: its command's own, where it gave one. */
function errorOf({ code, kind }: JournalEntry, run: ActionRun | null): string | null {
  if (kind === 'succeeded' || kind === 'called_off') return null;
  if (kind === 'timed_out') return 'TIMED_OUT';
  if (kind === 'lease_lost') return 'LEASE_LOST';
  return run?.error ?? code ?? 'FAILED';
}
