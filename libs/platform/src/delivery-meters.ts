import type { DeliveryNews } from '#ports';
import type { Count, Distribution } from './metric-family.js';
import type { MetricSet } from './metric-set.js';

/** The counts of one module's messages. */
interface ModuleMeters {
  readonly claimed: Count;
  readonly stale: Count;
  readonly later: Count;
  readonly wait: Distribution;
}

/** Counts messages by what became of them; those of a module are looked up once and kept. */
export class DeliveryMeters {
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
