import { StoreUnavailable, type Clock } from '#ports';

/** One thing asked for, and the promise that waits for it. */
export interface Entry<Item, Result> {
  readonly item: Item;
  /** By the monotonic clock. */
  readonly askedAt: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** How entries become round trips. */
export interface BatcherOptions<Item, Result> {
  readonly clock: Clock;
  /** Most entries in one batch. */
  readonly batchMax: number;
  /** Most batches at a time. */
  readonly batchesMax: number;
  /** Entries that waited longer, in milliseconds, are turned away: no backlog hangs callers. */
  readonly limitMs: number;
  /** Carries out a batch and settles each of its entries. */
  readonly run: (entries: readonly Entry<Item, Result>[]) => Promise<void>;
}

/**
 * Gathers what is asked for in one turn of the event loop, and while all batches are under way, and
 * has it done in few round trips.
 */
export class Batcher<Item, Result> {
  private waiting: Entry<Item, Result>[] = [];
  private running = 0;
  private isScheduled = false;
  private isClosed = false;
  private whenIdle: (() => void)[] = [];

  constructor(private readonly options: BatcherOptions<Item, Result>) {}

  /** The result for one item. */
  submit(item: Item): Promise<Result> {
    if (this.isClosed) return Promise.reject(new StoreUnavailable('The store is closed.'));
    return new Promise<Result>((resolve, reject) => {
      const askedAt = this.options.clock.monotonic();
      this.waiting.push({ item, askedAt, resolve, reject });
      this.schedule();
    });
  }

  /** Accepts nothing more and resolves when everything accepted is settled. */
  close(): Promise<void> {
    this.isClosed = true;
    if (this.isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.whenIdle.push(resolve));
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.start();
    });
  }

  private start(): void {
    this.turnAwayOverdue();
    const { batchMax, batchesMax } = this.options;
    while (this.waiting.length > 0 && this.running < batchesMax) {
      void this.runBatch(this.waiting.splice(0, batchMax));
    }
    if (!this.isIdle()) return;
    for (const tell of this.whenIdle.splice(0)) tell();
  }

  private async runBatch(entries: readonly Entry<Item, Result>[]): Promise<void> {
    this.running += 1;
    try {
      await this.options.run(entries);
    } catch (error) {
      for (const entry of entries) entry.reject(error);
    }
    this.running -= 1;
    this.schedule();
  }

  private turnAwayOverdue(): void {
    const { clock, limitMs } = this.options;
    const oldest = clock.monotonic() - limitMs;
    if ((this.waiting[0]?.askedAt ?? Infinity) > oldest) return;
    const isOverdue = ({ askedAt }: Entry<Item, Result>): boolean => askedAt <= oldest;
    for (const entry of this.waiting.filter(isOverdue)) {
      entry.reject(new StoreUnavailable(`The store did not get to it within ${limitMs} ms.`));
    }
    this.waiting = this.waiting.filter((entry) => !isOverdue(entry));
  }

  private isIdle(): boolean {
    return this.waiting.length === 0 && this.running === 0;
  }
}
