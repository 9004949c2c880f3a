import { Loop } from '#engine';
import type { Companion, ProcessContext } from '#process';
import { STATISTICS, type StatisticsSpan } from '#ports';

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
type Context = Pick<ProcessContext, 'clock' | 'observer' | 'records'>;

/** Removes statistics that are too old, once an hour. Any number of processes may do so. */
export function statisticsRetention(context: Context): Companion {
  const tick = (): Promise<void> => removeOldStatistics(context);
  const work = { name: 'statistics_retention', intervalMs: INTERVAL_MS, tick };
  const loop = new Loop(work, context.clock, context.observer);
  return { start: async () => loop.start(), stop: () => loop.stop() };
}

/** One pass. Throws `StoreUnavailable`. */
export async function removeOldStatistics({
  clock,
  records,
}: Pick<Context, 'clock' | 'records'>): Promise<void> {
  for (const span of ['hour', 'day'] as const) {
    // A row that begins right then is kept.
    const upTo = clock.now() - KEPT_MS[span] - 1;
    const old = { index: 'span', of: [span], upTo, limit: ROWS_MAX };
    while ((await records.removeAll(STATISTICS, old)) === ROWS_MAX);
  }
}
