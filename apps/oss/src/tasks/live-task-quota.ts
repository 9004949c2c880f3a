import { Inject, Injectable } from '@nestjs/common';
import { Problem } from '#nest';
import { OSS_OPTIONS, type OssOptions } from '../options.js';

/** How old a count may get while there is room. */
const COUNT_EVERY_MS = 10_000;
/** The same once the bound is reached, so that the first tasks that end make room soon. */
const COUNT_FULL_EVERY_MS = 1_000;

/**
 * Bounds how many tasks there are that are not final. Nobody waits for the count: between two
 * counts the tasks that this process created are added to the last one. So the bound may be passed
 * by what is created at the same time, here and by other gateways; it is a fuse, not a ledger.
 */
@Injectable()
export class LiveTaskQuota {
  private counted = 0;
  /** Created here since the last count began. */
  private created = 0;
  private countedAt = -Infinity;

  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** Throws `TOO_MANY_REQUESTS` while there are as many live tasks as there may be. */
  admit(): void {
    const { maxLiveTasks } = this.options;
    const isFull = this.counted + this.created >= maxLiveTasks;
    this.look(isFull ? COUNT_FULL_EVERY_MS : COUNT_EVERY_MS);
    if (!isFull) return;
    const detail =
      `There are ${maxLiveTasks} unfinished tasks, which is as many as BACKSTEP_MAX_LIVE_TASKS ` +
      'allows.';
    throw new Problem('TOO_MANY_REQUESTS', detail, { headers: { 'retry-after': '5' } });
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
