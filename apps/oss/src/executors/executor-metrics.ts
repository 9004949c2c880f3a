import { Gauge, type Registry } from 'prom-client';
import type { FlowVersion } from '#core';
import type { AwaitedCommand } from '#engine';
import type { ExecutorRecord } from '#ports';
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

/**
 * Adds how many executors there are of each module, zero for one that only flows name. Left out
 * while that cannot be read.
 */
export function addExecutorMetrics(
  registry: Registry,
  wanted: WantedModules,
  seen: () => Promise<readonly Pick<ExecutorRecord, 'module'>[]>,
): void {
  const gauge = new Gauge({
    name: 'backstep_executors',
    help: 'Executors that were seen lately, for each module that has some or that a flow uses',
    labelNames: ['module'],
    registers: [],
    async collect() {
      this.reset();
      const records = await seen().catch(() => null);
      if (records === null) return;
      for (const module of wanted.list()) this.set({ module }, 0);
      for (const { module } of records) this.inc({ module });
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
