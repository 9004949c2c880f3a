import type { Registry } from 'prom-client';
import { FileArchive } from '#archive';
import { Loop, Retention, TaskRemoval } from '#engine';
import { type Companion, type ProcessContext, valueGauge, VERSION } from '#process';
import {
  OPERATION,
  OUTPUT,
  PROGRESS,
  recordsOf,
  STATISTICS,
  type StatisticsSpan,
  type TaskArchive,
} from '#ports';

/** The parts of a process that its retention is made of. */
type Context = Pick<
  ProcessContext,
  'clock' | 'entropy' | 'finals' | 'metrics' | 'observer' | 'records' | 'settings' | 'store'
>;

/** How long rows are kept, in milliseconds: of hours two days, of days 35. */
const KEPT_MS: Readonly<Record<StatisticsSpan, number>> = {
  hour: 2 * 86_400_000,
  day: 35 * 86_400_000,
};

/** Rows that one write removes. */
const ROWS_MAX = 500;

/** From one pass to the next, in milliseconds. */
const INTERVAL_MS = 3_600_000;

/** The parts of a process that remove old statistics. */
type StatisticsContext = Pick<ProcessContext, 'clock' | 'observer' | 'records'>;

/** Removes final tasks, and archives them first if an archive is set. */
export function makeRemoval(
  context: Pick<Context, 'clock' | 'entropy' | 'finals' | 'records' | 'settings'>,
): TaskRemoval {
  const { finals, records } = context;
  const said = [recordsOf(records, OUTPUT), recordsOf(records, PROGRESS)];
  return new TaskRemoval({ finals, said, archive: archiveOf(context) });
}

/** The retention that removes old final tasks, with its metrics; null: they are kept for ever. */
export function makeRetention(
  context: Pick<Context, 'clock' | 'metrics' | 'observer' | 'records' | 'settings' | 'store'>,
  removal: TaskRemoval,
): Retention | null {
  const { clock, metrics, observer, records, settings, store } = context;
  const { retention: keptMs } = settings;
  if (keptMs === null) return null;
  const operations = recordsOf(records, OPERATION);
  const retention = new Retention({ store, removal, operations, clock, observer, keptMs });
  addMetrics(metrics.registry, retention);
  return retention;
}

function archiveOf({
  clock,
  entropy,
  settings,
}: Pick<Context, 'clock' | 'entropy' | 'settings'>): TaskArchive | null {
  const { archive: folder } = settings;
  if (folder === null) return null;
  const newName = (): string => entropy.newId();
  return new FileArchive({ folder, clock, newName, writtenBy: VERSION });
}

function addMetrics(registry: Registry, retention: Retention): void {
  const name = 'backstep_retention_removed_tasks';
  const help = 'Final tasks that retention of this process has removed since it started';
  registry.registerMetric(valueGauge({ name, help }, () => retention.removed));
  const last = {
    name: 'backstep_retention_last_round_timestamp_seconds',
    help: 'When the last round of retention ended that went well, in seconds since 1970; 0: none has',
  };
  registry.registerMetric(valueGauge(last, () => (retention.roundEndedAt ?? 0) / 1_000));
}

/** Removes statistics that are too old, once an hour. Any number of processes may do so. */
export function statisticsRetention(context: StatisticsContext): Companion {
  const tick = (): Promise<void> => removeOldStatistics(context);
  const work = { name: 'statistics_retention', intervalMs: INTERVAL_MS, tick };
  return new Loop(work, context.clock, context.observer);
}

/** One pass. Throws `StoreUnavailable`. */
export async function removeOldStatistics({
  clock,
  records,
}: Pick<StatisticsContext, 'clock' | 'records'>): Promise<void> {
  for (const span of ['hour', 'day'] as const) {
    // A row that begins right then is kept.
    const upTo = clock.now() - KEPT_MS[span] - 1;
    const old = { index: 'span', of: [span], upTo, limit: ROWS_MAX };
    while ((await records.removeAll(STATISTICS, old)) === ROWS_MAX);
  }
}
