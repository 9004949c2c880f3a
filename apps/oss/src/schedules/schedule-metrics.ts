import { Counter, Histogram, type Registry } from 'prom-client';
import type { SkipReason } from '#ports';
import type { ScheduleMeter } from '#schedules';

/** Seconds that a task may be started after its moment. */
const BUCKETS = [0.5, 1, 2, 5, 10, 30, 60, 300, 3_600];

/** Counts moments of schedules for Prometheus. */
export class ScheduleMetrics implements ScheduleMeter {
  private readonly moments = new Counter({
    name: 'backstep_schedule_moments_total',
    help: 'Moments of schedules by what became of them: started, failed, or why they were skipped',
    labelNames: ['outcome'],
    registers: [],
  });
  private readonly delay = new Histogram({
    name: 'backstep_schedule_start_delay_seconds',
    help: 'How long after its moment the task of a schedule was stored',
    buckets: BUCKETS,
    registers: [],
  });

  constructor(registry: Registry) {
    registry.registerMetric(this.moments);
    registry.registerMetric(this.delay);
  }

  started(lateMs: number): void {
    this.moments.inc({ outcome: 'started' });
    this.delay.observe(Math.max(0, lateMs) / 1_000);
  }

  skipped(reason: SkipReason, count: number): void {
    this.moments.inc({ outcome: reason }, count);
  }

  failed(): void {
    this.moments.inc({ outcome: 'failed' });
  }
}
