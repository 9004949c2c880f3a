import { ALERT_ACTION, type ActionRun, type JournalEntry, type Task, type TaskPlan } from '#core';
import type { Count, Distribution } from './metric-family.js';
import type { MetricSet } from './metric-set.js';

/** The counts of one action of a flow. */
export interface ActionMeters {
  readonly duration: Distribution;
  readonly retries: Count;
  finished(outcome: string): Count;
  /** The action's run in a task of the flow. */
  runOf(task: Task): ActionRun | null;
}

/** The counts of tasks that ended in one status. */
export interface EndMeters {
  readonly finished: Count;
  readonly duration: Distribution;
}

/** The counts of one flow, looked up by name once and kept. */
export class FlowMeters {
  readonly started: Count;
  readonly alertsRaised: Count;
  readonly dispatchedAgain: Count;
  readonly #ends = new Map<string, EndMeters>();
  readonly #normal = new Map<string, ActionMeters>();
  readonly #rollback = new Map<string, ActionMeters>();
  readonly #alert: ActionMeters;

  constructor(
    private readonly plan: TaskPlan,
    private readonly metrics: MetricSet,
  ) {
    this.started = metrics.tasksStarted.with(plan.flow);
    this.alertsRaised = metrics.alertsRaised.with(plan.flow);
    this.dispatchedAgain = metrics.dispatchedAgain.with(plan.flow);
    plan.steps.forEach(({ name, normal, rollback }, step) => {
      if (normal === undefined) return;
      const runs = (task: Task) => task.runs[step];
      this.#normal.set(
        name,
        this.#meters(normal, 'normal', (task) => runs(task)?.normal ?? null),
      );
      if (!rollback) return;
      const runOf = (task: Task): ActionRun | null => runs(task)?.rollback ?? null;
      this.#rollback.set(name, this.#meters(rollback, 'rollback', runOf));
    });
    this.#alert = this.#meters(ALERT_ACTION, 'alert', (task) => task.alert);
  }

  /** The action a journal entry is about. */
  action({ direction, step = '' }: JournalEntry): ActionMeters | undefined {
    if (direction === 'alert') return this.#alert;
    return (direction === 'rollback' ? this.#rollback : this.#normal).get(step);
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
    runOf: (task: Task) => ActionRun | null,
  ): ActionMeters {
    const { stepDuration, stepRetries, stepsFinished } = this.metrics;
    const labels = [this.plan.flow, module, command, direction];
    const outcomes = new Map<string, Count>();
    return {
      duration: stepDuration.with(...labels),
      retries: stepRetries.with(...labels),
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
