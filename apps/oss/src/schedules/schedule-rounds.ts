import { Loop } from '#engine';
import type { Companion, ProcessContext } from '#process';
import { Scheduler } from '#schedules';
import type { OssOptions } from '../options.js';
import { LiveTaskQuota } from '../tasks/live-task-quota.js';
import { TaskIntake } from '../tasks/task-intake.js';
import { ScheduleMetrics } from './schedule-metrics.js';
import { ScheduledStarts } from './scheduled-starts.js';

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
  const loop = new Loop(work, clock, observer);
  return { start: async () => loop.start(), stop: () => loop.stop() };
}
