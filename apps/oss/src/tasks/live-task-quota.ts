import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '#access';
import { Problem, RateBuckets } from '#http-server';
import { type CommonParts, OSS_OPTIONS, type TaskParts } from '../options.js';

/** How old a count may get while there is room. */
const COUNT_EVERY_MS = 10_000;
/** The same once the bound is reached, so that the first tasks that end make room soon. */
const COUNT_FULL_EVERY_MS = 1_000;

/** Tasks may come in a row as they would in this many seconds. */
const BURST_S = 2;

/**
 * Bounds how many tasks one key makes, and how many there are that are not final. Nobody waits for
 * the count: between two counts the tasks that this process created are added to the last one. So
 * the bound may be passed by what is created at the same time, here and by other gateways; it is a
 * fuse, not a ledger.
 */
@Injectable()
export class LiveTaskQuota {
  private counted = 0;
  /** Created here since the last count began. */
  private created = 0;
  private countedAt = -Infinity;

  private readonly byKey: RateBuckets;

  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts & TaskParts) {
    const { clock, tasksPerKey: perSecond } = options;
    this.byKey = new RateBuckets({ clock, perSecond, burst: perSecond * BURST_S });
  }

  /**
   * Throws `TOO_MANY_REQUESTS` while there are as many live tasks as there may be, or as many came
   * with this key.
   */
  admit({ keyId }: Pick<Principal, 'keyId'>): void {
    const { maxLiveTasks } = this.options;
    const isFull = this.counted + this.created >= maxLiveTasks;
    this.look(isFull ? COUNT_FULL_EVERY_MS : COUNT_EVERY_MS);
    if (!isFull) return this.expectRate(keyId);
    const detail =
      `There are ${maxLiveTasks} unfinished tasks, the most that BACKSTEP_MAX_LIVE_TASKS ` +
      'allows.';
    throw new Problem('TOO_MANY_REQUESTS', detail, { headers: { 'retry-after': '5' } });
  }

  private expectRate(keyId: string | null): void {
    const waitMs = keyId === null ? 0 : this.byKey.take(keyId);
    if (waitMs === 0) return;
    const headers = { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1_000))) };
    throw new Problem('TOO_MANY_REQUESTS', 'This key creates tasks too fast.', { headers });
  }

  /** A task was created. */
  add(): void {
    this.created += 1;
  }

  private look(everyMs: number): void {
    const now = this.options.clock.monotonic();
    if (now - this.countedAt < everyMs) return;
    this.countedAt = now;
    void this.count();
  }

  private async count(): Promise<void> {
    const before = this.created;
    try {
      const counts = await this.options.store.countLive();
      this.counted = Object.values(counts).reduce((sum, count) => sum + count, 0);
      // Tasks created during the count stay added: some are in it too, and so counted twice.
      this.created -= before;
    } catch {
      // A store that does not answer refuses tasks by itself; the last count stays.
    }
  }
}
