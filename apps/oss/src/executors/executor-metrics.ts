import type { Registry } from 'prom-client';
import type { FlowVersion } from '#core';
import type { Clock, ExecutorRecord } from '#ports';
import { liveGauge } from '#process';
import { modulesOf } from '../tasks/modules-of.js';

/**
 * The modules of flows that can be started: those are wanted, whoever serves them. A flow is looked
 * through once for each of its versions.
 */
export class WantedModules {
  readonly #modules = new WeakMap<FlowVersion, readonly string[]>();

  constructor(private readonly flows: () => readonly FlowVersion[]) {}

  list(): readonly string[] {
    return [...new Set(this.flows().flatMap((flow) => this.#of(flow)))];
  }

  #of(flow: FlowVersion): readonly string[] {
    const known = this.#modules.get(flow);
    if (known !== undefined) return known;
    const modules = modulesOf(flow);
    this.#modules.set(flow, modules);
    return modules;
  }
}

/** What executors are counted by. */
interface ExecutorMetricsParts {
  readonly wanted: WantedModules;
  readonly seen: () => Promise<readonly Pick<ExecutorRecord, 'module'>[]>;
  readonly clock: Pick<Clock, 'after'>;
}

/** Adds how many executors there are of each module, zero for one that only flows name. */
export function addExecutorMetrics(
  registry: Registry,
  { clock, seen, wanted }: ExecutorMetricsParts,
): void {
  const gauge = liveGauge({
    name: 'backstep_executors',
    help: 'Executors that were seen lately, for each module that has some or that a flow uses',
    labels: ['module'],
    clock,
    async read() {
      const served = (await seen()).map(({ module }) => module);
      const modules = [...new Set([...wanted.list(), ...served])];
      return modules.map((module) => {
        return { labels: { module }, value: served.filter((one) => one === module).length };
      });
    },
  });
  registry.registerMetric(gauge);
}
