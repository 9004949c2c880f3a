import type { Clock } from '#ports';
import type { EngineSettings } from './parts.js';

/** An answer that takes longer than this part of a lease is slow: renewals had no time left. */
const SLOW_PART_OF_LEASE = 4;

/** For how many leases on end slow answers count as none. */
const SLOW_LEASES_MAX = 4;

/**
 * Since when this process can see whether others renew their sessions. While the store does not
 * answer, or takes its time, or this process itself stands still, nobody can be told from a dead
 * one. By the monotonic clock throughout.
 */
export class StoreSight {
  private clearSince: number;
  /** Since when every answer has been slow. */
  private slowSince: number | null = null;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly settings: Pick<EngineSettings, 'leaseMs'>,
  ) {
    this.clearSince = clock.monotonic();
  }

  /** From then on everything was seen. */
  get since(): number {
    return this.clearSince;
  }

  /** The store did not answer, or this process did not ask: it begins to see again. */
  lose(): void {
    this.clearSince = this.clock.monotonic();
  }

  /** Does work on the store. While it fails, others could not renew their sessions either. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.lose();
      throw error;
    }
  }

  /**
   * The store answered what was asked then. A late answer may mean that it stood still, and the
   * renewals of others with it. A store that is always late must not keep dead processes alive for
   * ever, so that only the first leases of such a time count.
   */
  answered(askedAt: number): void {
    const { leaseMs } = this.settings;
    const now = this.clock.monotonic();
    if (now - askedAt <= leaseMs / SLOW_PART_OF_LEASE) {
      this.slowSince = null;
      return;
    }
    this.slowSince ??= askedAt;
    if (now - this.slowSince <= leaseMs * SLOW_LEASES_MAX) this.clearSince = now;
  }
}
