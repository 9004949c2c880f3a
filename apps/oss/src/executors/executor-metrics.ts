import { Gauge, type Registry } from 'prom-client';
import type { AwaitedCommand } from '#engine';
import type { Clock, ExecutorRecord } from '#ports';
import { liveGauge } from '#process';
import type { WantedModules } from './wanted-modules.js';

/** Dependencies of the metrics of executors. */
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

/** Adds the commands that steps wait for, because no executor of a served module has them. */
export function addAwaitedMetrics(
  registry: Registry,
  awaited: () => readonly AwaitedCommand[],
): void {
  const gauge = new Gauge({
    name: 'backstep_commands_awaited',
    help: 'Tasks with a step that waits for a command which no executor of its module has',
    labelNames: ['module', 'command'],
    registers: [],
    collect() {
      this.reset();
      for (const { command, module, tasks } of awaited()) this.set({ module, command }, tasks);
    },
  });
  registry.registerMetric(gauge);
}
