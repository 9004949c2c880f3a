import type { Registry } from 'prom-client';
import { CounterFamily, HistogramFamily } from './metric-family.js';

/** Seconds. */
const STEP_BOUNDS = [0.01, 0.1, 1, 5, 30, 60, 300, 1_800, 7_200];
const TASK_BOUNDS = [...STEP_BOUNDS, 86_400];

/** Seconds that an action, or a lock, may be waited for. */
const WAIT_BOUNDS = STEP_BOUNDS;

const ACTION_LABELS = ['flow', 'module', 'command', 'direction'];

/** Every metric there is about tasks. Times are seconds. */
export class MetricSet {
  readonly tasksStarted: CounterFamily;
  readonly tasksFinished: CounterFamily;
  readonly taskDuration: HistogramFamily;
  readonly stepsFinished: CounterFamily;
  readonly stepDuration: HistogramFamily;
  readonly stepRetries: CounterFamily;
  readonly attemptsStarted: CounterFamily;
  readonly childTasksStarted: CounterFamily;
  readonly lockRequests: CounterFamily;
  readonly lockWait: HistogramFamily;
  readonly deliveries: CounterFamily;
  readonly scheduledToStart: HistogramFamily;
  readonly alertsRaised: CounterFamily;
  readonly dispatchedAgain: CounterFamily;
  readonly notices: CounterFamily;

  readonly #families: (CounterFamily | HistogramFamily)[] = [];

  constructor(private readonly registry: Registry) {
    this.tasksStarted = this.#counter('tasks_started_total', 'Tasks created.', ['flow']);
    this.tasksFinished = this.#counter(
      'tasks_finished_total',
      'Tasks that reached a final status.',
      ['flow', 'status'],
    );
    this.taskDuration = this.#histogram('task_duration_seconds', {
      help: 'From the creation of a task to its final status.',
      labels: ['flow', 'status'],
      bounds: TASK_BOUNDS,
    });
    const outcomes = [...ACTION_LABELS, 'outcome'];
    const stepsHelp = 'Actions of steps that ended, all attempts together.';
    this.stepsFinished = this.#counter('steps_finished_total', stepsHelp, outcomes);
    this.stepDuration = this.#histogram('step_duration_seconds', {
      help: "From an action's first start to its end.",
      labels: ACTION_LABELS,
      bounds: STEP_BOUNDS,
    });
    const retriesHelp = 'Failed attempts that are followed by another.';
    this.stepRetries = this.#counter('step_retries_total', retriesHelp, ACTION_LABELS);
    const attemptsHelp = 'Claims: attempts of actions that were started.';
    this.attemptsStarted = this.#counter('attempts_started_total', attemptsHelp, ACTION_LABELS);
    const childrenHelp = 'Child tasks created, by the flow that they run; they are tasks as well.';
    this.childTasksStarted = this.#counter('child_tasks_started_total', childrenHelp, ['flow']);
    this.alertsRaised = this.#counter('alerts_raised_total', 'Failed rollbacks told to people.', [
      'flow',
    ]);
    const againHelp = 'Step messages that no executor had claimed, sent again.';
    this.dispatchedAgain = this.#counter('messages_dispatched_again_total', againHelp, ['flow']);
    this.notices = this.#counter('notices_total', "What no task's journal tells, by name.", [
      'name',
      'level',
    ]);
    const locksHelp = 'Requests of tasks and of their steps for locks.';
    this.lockRequests = this.#counter('lock_requests_total', locksHelp, ['flow']);
    this.lockWait = this.#histogram('lock_wait_seconds', {
      help: 'From a request for locks until all of them were held.',
      labels: ['flow'],
      bounds: WAIT_BOUNDS,
    });
    const deliveriesHelp = 'Messages by what came of them: claimed, stale or given back for later.';
    this.deliveries = this.#counter('deliveries_total', deliveriesHelp, ['module', 'outcome']);
    this.scheduledToStart = this.#histogram('scheduled_to_start_seconds', {
      help: 'From the moment at which an action was due to the claim that a message led to.',
      labels: ['module'],
      bounds: WAIT_BOUNDS,
    });
  }

  /**
   * Has series of such flows go, once they were read as they are. Those that a late event
   * brings back begin at 0. `onDropped` is called where some have gone: members that were kept
   * count for nobody then.
   */
  dropFlows(isRetired: (flow: string) => boolean, onDropped: () => void): void {
    for (const family of this.#families) family.dropWhere(isRetired, onDropped);
  }

  #counter(name: string, help: string, labels: readonly string[]): CounterFamily {
    const family = new CounterFamily({ name: `backstep_${name}`, help, labels }, this.registry);
    this.#families.push(family);
    return family;
  }

  #histogram(
    name: string,
    rest: { help: string; labels: readonly string[]; bounds: readonly number[] },
  ): HistogramFamily {
    const family = new HistogramFamily({ name: `backstep_${name}`, ...rest }, this.registry);
    this.#families.push(family);
    return family;
  }
}
