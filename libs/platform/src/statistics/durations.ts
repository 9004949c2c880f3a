import type { DurationStatistics } from '#ports';

/** Buckets in which the length doubles. */
const IN_DOUBLE = 2;

/** The last bucket, of lengths of more than 17 years. */
const LAST = 80;

/** Counts how long something took. */
export class DurationCounter {
  #count = 0;
  #sumMs = 0;
  #maxMs = 0;
  readonly #buckets = new Map<number, number>();

  /** Times that went backwards, as clocks may, count as none. */
  add(ms: number): void {
    const length = Math.max(0, Math.round(ms));
    const bucket = bucketOf(length);
    this.#count += 1;
    this.#sumMs += length;
    if (length > this.#maxMs) this.#maxMs = length;
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
  }

  /** The counts so far. */
  get statistics(): DurationStatistics {
    const buckets = Object.fromEntries(this.#buckets);
    return { count: this.#count, sumMs: this.#sumMs, maxMs: this.#maxMs, buckets };
  }
}

/** The number of the bucket for a number of milliseconds. */
function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.min(LAST, Math.ceil(IN_DOUBLE * Math.log2(ms)));
}

/** All of them together. */
export function sumDurations(all: readonly DurationStatistics[]): DurationStatistics {
  const buckets: Record<string, number> = {};
  let [count, sumMs, maxMs] = [0, 0, 0];
  for (const one of all) {
    count += one.count;
    sumMs += one.sumMs;
    maxMs = Math.max(maxMs, one.maxMs);
    for (const [bucket, found] of Object.entries(one.buckets)) {
      buckets[bucket] = (buckets[bucket] ?? 0) + found;
    }
  }
  return { count, sumMs, maxMs, buckets };
}

/**
 * The milliseconds that a share of them took no longer than, from 0 to 1, within 20 %; null: there
 * are none.
 */
export function quantileMs(durations: DurationStatistics, share: number): number | null {
  const { buckets, count, maxMs } = durations;
  const sorted = Object.entries(buckets).sort(([one], [other]) => Number(one) - Number(other));
  let below = 0;
  for (const [bucket, found] of sorted) {
    below += found;
    if (below >= share * count) return Math.min(maxMs, middleOf(Number(bucket)));
  }
  return null;
}

/** From here both ends of the bucket are equally far, as a factor. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 1 : Math.exp((Math.LN2 * (bucket - 0.5)) / IN_DOUBLE);
}
