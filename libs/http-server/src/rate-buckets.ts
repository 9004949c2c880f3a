import type { Clock } from '#ports';

/** How often something may be done by each of many. */
interface RateOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Times a second; Infinity: as often as one likes. */
  readonly perSecond: number;
  /** Times in a row, after a while of none. */
  readonly burst: number;
}

/** Buckets that are kept; of more, those that were used longest ago are taken to be full again. */
const KEPT_MAX = 10_000;

interface Bucket {
  tokens: number;
  /** By the monotonic clock. */
  filledAt: number;
}

/** A token bucket for each of many names, in bounded memory. */
export class RateBuckets {
  /** Used longest ago first. */
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly options: RateOptions) {}

  /** Takes a token. Returns the milliseconds until there is one; 0: it was taken. */
  take(name: string): number {
    if (this.options.perSecond === Infinity) return 0;
    const bucket = this.keep(name);
    if (bucket.tokens < 1) return this.waitOf(bucket);
    bucket.tokens -= 1;
    return 0;
  }

  /** Milliseconds until nothing is owed that was spent beyond what there was; 0: nothing is. */
  owed(name: string): number {
    if (this.options.perSecond === Infinity) return 0;
    const { tokens } = this.filled(name);
    return tokens >= 0 ? 0 : (-tokens / this.options.perSecond) * 1_000;
  }

  /** Takes this number of tokens, whether or not there are as many. */
  spend(name: string, count: number): void {
    if (this.options.perSecond === Infinity) return;
    this.keep(name).tokens -= count;
  }

  /** How many are kept. */
  get size(): number {
    return this.buckets.size;
  }

  private keep(name: string): Bucket {
    const bucket = this.filled(name);
    this.buckets.delete(name);
    this.buckets.set(name, bucket);
    if (this.buckets.size > KEPT_MAX) this.dropOldest();
    return bucket;
  }

  private filled(name: string): Bucket {
    const { burst, clock, perSecond } = this.options;
    const now = clock.monotonic();
    const bucket = this.buckets.get(name) ?? { tokens: burst, filledAt: now };
    const more = ((now - bucket.filledAt) / 1_000) * perSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + more);
    bucket.filledAt = now;
    return bucket;
  }

  private waitOf({ tokens }: Bucket): number {
    return ((1 - tokens) / this.options.perSecond) * 1_000;
  }

  private dropOldest(): void {
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}
