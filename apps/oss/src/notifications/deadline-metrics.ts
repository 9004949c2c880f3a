import { Gauge, type Registry } from 'prom-client';
import type { RiskCounts } from './deadline-facts.js';

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
