import { Loop } from '#engine';
import type { Companion, ProcessContext } from '#process';
import { pagesOf, RECORD_KINDS, recordsOf, type RecordStore } from '#ports';

/** From one review to the next, in milliseconds. */
const INTERVAL_MS = 3_600_000;

/**
 * Reads the records that change, at the start and once an hour. One whose own time was broken is
 * found by no loop, so that it would be noticed by nobody: reading it counts it.
 */
export function recordReview({
  clock,
  observer,
  records,
}: Pick<ProcessContext, 'clock' | 'observer' | 'records'>): Companion {
  const tick = (): Promise<void> => reviewRecords(records);
  return new Loop({ name: 'record_review', intervalMs: INTERVAL_MS, tick }, clock, observer);
}

/** One review. Throws `StoreUnavailable`. */
export async function reviewRecords(store: RecordStore): Promise<void> {
  const reviewed = RECORD_KINDS.filter(
    ({ isPassing, version }) => version.length > 0 && !isPassing,
  );
  for (const kind of reviewed) {
    const pages = pagesOf(recordsOf(store, kind));
    while ((await pages.next()).done !== true);
  }
}
