import { collectDefaultMetrics, Registry } from 'prom-client';
import { isAlertTask, isFinal, type JournalEntry, statusName, type Task } from '#core';
import type { DeliveryNews, Notice, Observer } from '#ports';
import { type ActionMeters, FlowMeters } from './flow-meters.js';
import { endedAttempt } from './ended-attempt.js';
import type { Count, Distribution } from './metric-family.js';
import { MetricSet } from './metric-set.js';

/** The counts of one module's messages. */
interface ModuleMeters {
  readonly claimed: Count;
  readonly stale: Count;
  readonly later: Count;
  readonly wait: Distribution;
}

/** How to count. */
interface PrometheusOptions {
  /** Whether memory, CPU, event loop and so on of the process are there too; true where absent. */
  readonly processMetrics?: boolean;
}

/**
 * The delay of the event loop is sampled so often, in milliseconds. Each sample wakes the process:
 * at the default of 10, idle processes do little else, and busy ones are in each other's way.
 */
const SAMPLING = { eventLoopMonitoringPrecision: 100 };

/** Counts facts for Prometheus. A fact costs a few look-ups and an addition. */
export class PrometheusObserver implements Observer {
  /** `metrics()` and `contentType` are what an HTTP answer is made of. */
  readonly registry = new Registry();
  readonly #metrics = new MetricSet(this.registry);
  /** By the steps of a plan, which all tasks of one flow version share. */
  #flows = new WeakMap<Task['plan']['steps'], FlowMeters>();
  readonly #notices = new Map<string, Count>();
  readonly #deliveries = new DeliveryMeters(this.#metrics);

  constructor({ processMetrics = true }: PrometheusOptions = {}) {
    if (processMetrics) collectDefaultMetrics({ register: this.registry, ...SAMPLING });
  }

  /** Series of retired flows go once they were read. `isRetired` is asked at each reading. */
  dropFlows(isRetired: (flow: string) => boolean): void {
    this.#metrics.dropFlows(isRetired, () => (this.#flows = new WeakMap()));
  }

  committed(task: Task, entries: readonly JournalEntry[]): void {
    if (entries.length === 0) return;
    const flow = this.#metersOf(task);
    for (const entry of entries) this.#count(flow, task, entry);
  }

  noticed({ level, name }: Notice): void {
    const key = `${level} ${name}`;
    let count = this.#notices.get(key);
    if (count === undefined) {
      count = this.#metrics.notices.with(name, level);
      this.#notices.set(key, count);
    }
    count.add();
  }

  delivered(news: DeliveryNews): void {
    this.#deliveries.count(news);
  }

  #metersOf({ plan }: Task): FlowMeters {
    let meters = this.#flows.get(plan.steps);
    if (meters === undefined) {
      meters = new FlowMeters(plan, this.#metrics);
      this.#flows.set(plan.steps, meters);
    }
    return meters;
  }

  #count(flow: FlowMeters, task: Task, entry: JournalEntry): void {
    switch (entry.kind) {
      case 'created':
        return countStart(flow, task);
      case 'started':
        return flow.action(entry)?.started.add();
      case 'waits_for_locks':
        return flow.lockRequests.add();
      case 'locks_taken':
        return countTickets(flow.lockWait, task, entry);
      case 'succeeded':
      case 'failed':
      case 'timed_out':
      case 'lease_lost':
      case 'called_off':
        return countAttempt(flow.action(entry), task, entry);
      case 'dispatched_again':
        return flow.dispatchedAgain.add();
      case 'alert_raised':
        return flow.alertsRaised.add();
      case 'task_succeeded':
      case 'task_rolled_back':
      case 'task_terminated':
        return countEnd(flow, task);
      default:
        return undefined;
    }
  }
}

/** An attempt without a result ends the action or leads to another; the run says which. */
function countAttempt(action: ActionMeters | undefined, task: Task, entry: JournalEntry): void {
  if (action === undefined) return;
  const { durationMs, isOver } = endedAttempt(task, entry, action.runOf(task, entry));
  if (!isOver) return action.retries.add();
  action.finished(entry.kind).add();
  action.duration.observe(durationMs / 1_000);
}

/** Alert tasks count with their attempts alone: no request started them. */
function countStart(flow: FlowMeters, { plan: { parent } }: Task): void {
  if (isAlertTask(parent)) return;
  if (parent !== null) flow.childrenStarted.add();
  flow.started.add();
}

function countEnd(flow: FlowMeters, task: Task): void {
  if (!isFinal(task.status) || isAlertTask(task.plan.parent)) return;
  const { finished, duration } = flow.end(statusName(task.status));
  finished.add();
  duration.observe(((task.endedAt ?? task.plan.createdAt) - task.plan.createdAt) / 1_000);
}

/** Counts how long the locks were waited for that were had with this entry. */
function countTickets(waits: Distribution, { locks }: Task, entry: JournalEntry): void {
  const { at, run, step } = entry;
  const ticket = locks.find((one) => {
    const isSame = step === undefined ? one.step === null : one.run === (run ?? step);
    return isSame && one.heldAt === at;
  });
  if (ticket !== undefined) waits.observe((at - ticket.since) / 1_000);
}

/** Counts messages by what became of them; those of a module are looked up once and kept. */
class DeliveryMeters {
  readonly #modules = new Map<string, ModuleMeters>();

  constructor(private readonly metrics: MetricSet) {}

  count({ module, outcome, waitedMs }: DeliveryNews): void {
    const meters = this.#of(module);
    meters[outcome].add();
    if (waitedMs !== null) meters.wait.observe(waitedMs / 1_000);
  }

  #of(module: string): ModuleMeters {
    let meters = this.#modules.get(module);
    if (meters === undefined) {
      const { deliveries, scheduledToStart } = this.metrics;
      meters = {
        claimed: deliveries.with(module, 'claimed'),
        stale: deliveries.with(module, 'stale'),
        later: deliveries.with(module, 'later'),
        wait: scheduledToStart.with(module),
      };
      this.#modules.set(module, meters);
    }
    return meters;
  }
}
