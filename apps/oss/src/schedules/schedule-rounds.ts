import { Counter, Histogram, type Registry } from 'prom-client';
import { Loop } from '#engine';
import type { SkipReason } from '#ports';
import type { Companion, ProcessContext } from '#process';
import { type ScheduleMeter, Scheduler } from '#schedules';
import type { OssOptions } from '../options.js';
import { LiveTaskQuota } from '../tasks/live-task-quota.js';
import { TaskIntake } from '../tasks/task-intake.js';
import { ScheduledStarts } from './scheduled-starts.js';

/** Seconds that a task may be started after its moment. */
const BUCKETS = [0.5, 1, 2, 5, 10, 30, 60, 300, 3_600];

/** Looks at schedules again and again, as often as governance looks at tasks. */
export function scheduleRounds(
  { clock, engine, entropy, metrics, observer, settings }: ProcessContext,
  options: OssOptions,
): Companion {
  const intake = new TaskIntake(options, new LiveTaskQuota(options));
  const scheduler = new Scheduler({
    schedules: options.schedules,
    tasks: options.store,
    starter: new ScheduledStarts({ engine, intake, keys: options.keys, tasks: options.store }),
    clock,
    entropy,
    observer,
    meter: new ScheduleMetrics(metrics.registry),
  });
  const work = {
    name: 'schedules',
    intervalMs: settings.governanceInterval,
    tick: () => scheduler.tick(),
  };
  return new Loop(work, clock, observer);
}

/** Counts moments of schedules for Prometheus. */
class ScheduleMetrics implements ScheduleMeter {
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
