import { isOutage, PROGRESS, type Records, recordsOf, type RecordStore } from '#ports';
import { type AttemptPlace, type Clock, progressId, type StoredProgress } from '#ports';
import type { Shown } from '../requests/shown.js';

/** From one look into the store to the next, in milliseconds. */
const LOOK_MS = 1_000;

/** A write may be seen so much later than others of its time, in milliseconds. */
const LATE_MS = 5_000;

/** Most attempts whose progress is known; the oldest are forgotten. */
const KNOWN_MAX = 10_000;

/** The progress of an attempt; null: it has said nothing. */
export type ProgressOf = (attempt: AttemptPlace) => Shown<'Progress'> | null;

/**
 * How far running attempts are, as of a second ago: one small read for all requests of that second,
 * however many tasks they show.
 */
export class ProgressView {
  private readonly records: Records<StoredProgress, 'changed' | 'task'>;
  private readonly known = new Map<string, StoredProgress>();
  private seen = -Infinity;
  private looked = -Infinity;
  private looking: Promise<void> | null = null;

  constructor(
    records: RecordStore,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {
    this.records = recordsOf(records, PROGRESS);
  }

  /** The progress that is known; undefined: there is none. A store that is away is no error. */
  async look(): Promise<ProgressOf | undefined> {
    if (this.looking === null && this.clock.monotonic() - this.looked >= LOOK_MS) {
      this.looking = this.read().finally(() => {
        this.looking = null;
      });
    }
    await this.looking;
    return this.known.size === 0 ? undefined : (attempt) => this.progressOf(attempt);
  }

  /** Those of these tasks that have an attempt, by now perhaps ended, which is known here. */
  among(taskIds: readonly string[]): readonly string[] {
    const known = new Set([...this.known.values()].map(({ taskId }) => taskId));
    return taskIds.filter((taskId) => known.has(taskId));
  }

  private async read(): Promise<void> {
    this.looked = this.clock.monotonic();
    const from = this.seen - LATE_MS;
    const query = { index: 'changed', isDescending: true, limit: KNOWN_MAX } as const;
    try {
      const found = await this.records.list({ ...query, ...(from > 0 && { from }) });
      for (const progress of found.toReversed()) this.take(progress);
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
  }

  private take(progress: StoredProgress): void {
    const id = progressId(progress);
    this.known.delete(id);
    this.known.set(id, progress);
    this.seen = Math.max(this.seen, progress.at);
    if (this.known.size <= KNOWN_MAX) return;
    const [oldest] = this.known.keys();
    this.known.delete(oldest ?? '');
  }

  private progressOf(attempt: AttemptPlace): Shown<'Progress'> | null {
    const progress = this.known.get(progressId(attempt));
    return progress === undefined ? null : presentProgress(progress);
  }
}

/** Null: the attempt took back what it had said. */
export function presentProgress({
  at,
  message,
  percent,
  state,
}: StoredProgress): Shown<'Progress'> | null {
  if (percent === null && message === null && state === null) return null;
  return {
    ...(state !== null && { state }),
    ...(percent !== null && { percent }),
    ...(message !== null && { message }),
    at: new Date(at).toISOString(),
  };
}
