import { Gauge, type Registry } from 'prom-client';
import { Loop } from '#engine';
import type { Companion, ProcessContext } from '#process';
import { FactLedger } from '#notifications';
import { allOf } from '#ports';
import { PastTasks } from '../estimate/past-tasks.js';
import type { OssOptions } from '../options.js';
import { ConditionFacts } from './condition-facts.js';
import { DeadlineFacts, type RiskCounts } from './deadline-facts.js';
import { NotificationDesk } from './notification-desk.js';
import { TaskFacts } from './task-facts.js';

type RoundsContext = Pick<ProcessContext, 'clock' | 'metrics' | 'observer' | 'settings'>;

/** Looks for what rules tell, and sends it, as often as governance looks at tasks. */
export function notificationRounds(
  { clock, metrics, observer, settings }: RoundsContext,
  options: OssOptions,
): Companion {
  const intervalMs = settings.governanceInterval;
  const deadlines = new DeadlineMetrics(metrics.registry);
  const tick = notificationTick(options, (counts) => deadlines.counted(counts));
  return new Loop({ name: 'notifications', intervalMs, tick }, clock, observer);
}

/** One round of it. Throws `StoreUnavailable`. */
export function notificationTick(
  options: OssOptions,
  onCounted: (counts: RiskCounts) => void = () => {},
): () => Promise<void> {
  const { courier } = new NotificationDesk(options);
  const ledger = new FactLedger(options);
  const tasks = new TaskFacts({ ...options, ledger });
  const past = new PastTasks(options);
  const deadlines = new DeadlineFacts({ ...options, ledger, past, onCounted });
  const conditions = new ConditionFacts({ ...options, ledger });
  return async () => {
    const rules = await allOf(options.notifications);
    await tasks.tick(rules);
    await conditions.tick(rules);
    await deadlines.tick(rules);
    await courier.tick();
  };
}

/** Tells Prometheus of deadlines that will be missed. */
export class DeadlineMetrics {
  private readonly atRisk = new Gauge({
    name: 'backstep_tasks_deadline_at_risk',
    help: 'Tasks that will not end in their time, as past tasks tell, by how sure that is',
    labelNames: ['risk'],
    registers: [],
  });

  constructor(registry: Registry) {
    registry.registerMetric(this.atRisk);
  }

  /** Takes the counts of one round. */
  counted({ likely, possible }: RiskCounts): void {
    this.atRisk.set({ risk: 'likely' }, likely);
    this.atRisk.set({ risk: 'possible' }, possible);
  }
}
