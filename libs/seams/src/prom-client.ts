import type { Metric, Registry } from 'prom-client';

/** The members of a metric that the registry of prom-client reads; its types ask for more. */
export interface ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'histogram';
  readonly aggregator: 'sum';
  /** Gives the members above and all samples. */
  get(): Promise<object>;
  reset(): void;
}

/** Adds a metric that is none of prom-client's own to a registry. */
export function registerMetric(registry: Registry, metric: ReadMetric): void {
  registry.registerMetric(metric as unknown as Metric);
}
