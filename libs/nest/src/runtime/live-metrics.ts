import { Gauge, type Registry } from 'prom-client';
import type { CommandCatalogue, StepTransport, TaskStore } from '#ports';

/** What is looked at when somebody reads the metrics. */
export interface LiveParts {
  readonly store: TaskStore;
  readonly transport: StepTransport;
  readonly catalogue: CommandCatalogue;
}

/**
 * Metrics of the present, read when they are asked for: tasks that are not final, by status, and
 * messages that wait for the modules this process serves. What cannot be read now is left out, not
 * shown as zero.
 */
export function addLiveMetrics(registry: Registry, parts: LiveParts): void {
  const { catalogue, store, transport } = parts;
  const live = new Gauge({
    name: 'backstep_tasks_live',
    help: 'Tasks that are not final, by status',
    labelNames: ['status'],
    registers: [],
    async collect() {
      this.reset();
      const counts = await store.countLive().catch(() => ({}));
      for (const [status, count] of Object.entries(counts)) this.set({ status }, count);
    },
  });
  const waiting = new Gauge({
    name: 'backstep_queue_messages',
    help: 'Messages that wait in the queues of the modules this process serves',
    labelNames: ['module'],
    registers: [],
    async collect() {
      this.reset();
      for (const module of catalogue.modules()) {
        const depth = await transport.depth(module);
        if (depth !== null) this.set({ module }, depth);
      }
    },
  });
  registry.registerMetric(live);
  registry.registerMetric(waiting);
}
