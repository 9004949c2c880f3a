import type { AbortSignalLike, Clock } from '#ports';

/** Waits that are shorter are not worth a timer, in milliseconds. */
const SHORT_MS = 5;

/** Lets so many begin in a second, evenly; what was missed is not made up for. */
export class Pace {
  private readonly gapMs: number;
  private nextAt: number;

  /** `ratePerSecond` null: nobody waits. */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic' | 'sleep'>,
    ratePerSecond: number | null,
  ) {
    this.gapMs = ratePerSecond === null ? 0 : 1_000 / ratePerSecond;
    this.nextAt = clock.monotonic();
  }

  /**
   * Resolves when the next one may begin, or after `mostMs`, or when the signal aborts. False: not
   * yet.
   */
  async turn(mostMs: number, signal: AbortSignalLike): Promise<boolean> {
    const waitMs = this.nextAt - this.clock.monotonic();
    if (waitMs > SHORT_MS) await this.clock.sleep(Math.min(waitMs, mostMs), signal);
    if (waitMs > mostMs || signal.aborted) return false;
    this.nextAt = Math.max(this.nextAt, this.clock.monotonic() - this.gapMs) + this.gapMs;
    return true;
  }
}
