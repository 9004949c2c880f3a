import type { ActionRun, JournalEntry, StepPlan, StepRuns, Task, TaskPlan } from '#core';
import { innerLists } from '#core/flow';
import { placeOf } from '#core/scopes';
import { pathOf } from './ended-attempt.js';
import type { Count, Distribution } from './metric-family.js';
import type { MetricSet } from './metric-set.js';

/** The counts of one action of a flow. */
export interface ActionMeters {
  readonly duration: Distribution;
  readonly retries: Count;
  readonly started: Count;
  finished(outcome: string): Count;
  /** The run that an entry is about; null: another try of its group has taken its place. */
  runOf(task: Task, entry: JournalEntry): ActionRun | null;
}

/** The counts of tasks that ended in one status. */
interface EndMeters {
  readonly finished: Count;
  readonly duration: Distribution;
}

type RunOf = ActionMeters['runOf'];

type RunsOf = (task: Task, entry: JournalEntry) => StepRuns | undefined;

function runsInGroup(task: Task, { run = '' }: JournalEntry): StepRuns | undefined {
  const place = placeOf(task, run);
  return place === null ? undefined : task.runs[place];
}

/**
 * The counts of one flow, looked up by name once and kept. Most begin with what they count: a
 * flow without locks has no series of waits for locks.
 */
export class FlowMeters {
  readonly started: Count;
  readonly alertsRaised: Count;
  #childrenStarted: Count | undefined;
  #lockRequests: Count | undefined;
  #lockWait: Distribution | undefined;
  #dispatchedAgain: Count | undefined;
  readonly #ends = new Map<string, EndMeters>();
  readonly #normal = new Map<string, ActionMeters>();
  readonly #rollback = new Map<string, ActionMeters>();

  constructor(
    private readonly plan: TaskPlan,
    private readonly metrics: MetricSet,
  ) {
    this.started = metrics.tasksStarted.with(plan.flow);
    this.alertsRaised = metrics.alertsRaised.with(plan.flow);
    plan.steps.forEach((step, place) => this.#add(step, step.name, (task) => task.runs[place]));
  }

  get childrenStarted(): Count {
    return (this.#childrenStarted ??= this.metrics.childTasksStarted.with(this.plan.flow));
  }

  get lockRequests(): Count {
    return (this.#lockRequests ??= this.metrics.lockRequests.with(this.plan.flow));
  }

  get lockWait(): Distribution {
    return (this.#lockWait ??= this.metrics.lockWait.with(this.plan.flow));
  }

  get dispatchedAgain(): Count {
    return (this.#dispatchedAgain ??= this.metrics.dispatchedAgain.with(this.plan.flow));
  }

  /** The action a journal entry is about; undefined: a step that holds steps has none. */
  action({ direction, run, step = '' }: JournalEntry): ActionMeters | undefined {
    const path = run === undefined ? step : pathOf(run);
    return (direction === 'rollback' ? this.#rollback : this.#normal).get(path);
  }

  /** All runs of a step within another one count as one action: there may be any number. */
  #add(step: StepPlan, path: string, runsOf: RunsOf): void {
    for (const inner of innerLists(step).flat()) {
      this.#add(inner, `${path}/${inner.name}`, runsInGroup);
    }
    const { normal, rollback } = step;
    const forward: RunOf = (task, entry) => runsOf(task, entry)?.normal ?? null;
    if (normal !== undefined) this.#normal.set(path, this.#meters(normal, 'normal', forward));
    if (!rollback) return;
    const back: RunOf = (task, entry) => runsOf(task, entry)?.rollback ?? null;
    this.#rollback.set(path, this.#meters(rollback, 'rollback', back));
  }

  end(status: string): EndMeters {
    let meters = this.#ends.get(status);
    if (meters === undefined) {
      const finished = this.metrics.tasksFinished.with(this.plan.flow, status);
      meters = { finished, duration: this.metrics.taskDuration.with(this.plan.flow, status) };
      this.#ends.set(status, meters);
    }
    return meters;
  }

  #meters(
    { module, command }: { readonly module: string; readonly command: string },
    direction: string,
    runOf: RunOf,
  ): ActionMeters {
    const { attemptsStarted, stepDuration, stepRetries, stepsFinished } = this.metrics;
    const labels = [this.plan.flow, module, command, direction];
    const outcomes = new Map<string, Count>();
    let [duration, retries, started]: [Distribution?, Count?, Count?] = [];
    return {
      get duration() {
        return (duration ??= stepDuration.with(...labels));
      },
      get retries() {
        return (retries ??= stepRetries.with(...labels));
      },
      get started() {
        return (started ??= attemptsStarted.with(...labels));
      },
      runOf,
      finished(outcome) {
        const known = outcomes.get(outcome);
        if (known !== undefined) return known;
        const count = stepsFinished.with(...labels, outcome);
        outcomes.set(outcome, count);
        return count;
      },
    };
  }
}
