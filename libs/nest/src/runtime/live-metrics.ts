import { Gauge, type Registry } from 'prom-client';
import type { Clock, CommandCatalogue, StepTransport, TaskStore } from '#ports';

/** The parts that are read when somebody reads the metrics. */
export interface LiveParts {
  readonly store: TaskStore;
  readonly transport: StepTransport;
  readonly catalogue: CommandCatalogue;
  /** The time of tasks. */
  readonly clock: Clock;
  /** The time of this machine. */
  readonly machine: Clock;
}

/**
 * Metrics of the present, read when they are asked for: tasks that are not final, by status,
 * messages that wait for the modules this process serves, and how wrong this machine's clock is. A
 * value that cannot be read now is left out, not shown as zero.
 */
export function addLiveMetrics(registry: Registry, parts: LiveParts): void {
  for (const gauge of [liveTasks(parts), waitingMessages(parts), clockOffset(parts)]) {
    registry.registerMetric(gauge);
  }
}

function liveTasks({ store }: LiveParts): Gauge {
  return new Gauge({
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
}

function waitingMessages({ catalogue, transport }: LiveParts): Gauge {
  return new Gauge({
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
}

function clockOffset({ clock, machine }: LiveParts): Gauge {
  return new Gauge({
    name: 'backstep_clock_offset_seconds',
    help: "How far this machine's clock is ahead of the time of tasks, which is the store's",
    registers: [],
    collect() {
      this.set((machine.now() - clock.now()) / 1_000);
    },
  });
}
