import { StoreUnavailable, type Clock, type Timer } from '#ports';

/** One thing asked for, and the promise that waits for it. */
export interface Entry<Item, Result> {
  readonly item: Item;
  /** By the monotonic clock. */
  readonly askedAt: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** How entries become round trips. */
interface BatcherOptions<Item, Result> {
  readonly clock: Clock;
  /** Most entries in one batch. */
  readonly batchMax: number;
  /** Most batches at a time. */
  readonly batchesMax: number;
  /** Longest wait, in milliseconds, of a batch that is smaller than another one under way. */
  readonly gatherMs: number;
  /** Entries that waited longer, in milliseconds, are turned away: no backlog hangs callers. */
  readonly limitMs: number;
  /** Carries out a batch and settles each of its entries. */
  readonly run: (entries: readonly Entry<Item, Result>[]) => Promise<void>;
}

/**
 * Gathers entries into batches. The entries of one turn of the event loop leave at once, unless a
 * larger batch is under way: then they gather until they are as many, or that one ends.
 * So little work never waits, and much work goes in few large batches: a round trip costs both
 * sides more than most entries do. Nothing gathers long: the server may not answer that batch.
 */
export class Batcher<Item, Result> {
  private waiting: Entry<Item, Result>[] = [];
  /** Sizes of the batches under way. */
  private readonly underWay: number[] = [];
  private isScheduled = false;
  private isClosed = false;
  private timer: Timer | null = null;
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

  /** Whether an entry would leave at once and alone, if no other one follows in this turn. */
  get isQuiet(): boolean {
    const { underWay, waiting } = this;
    const hasRoom = underWay.length < this.options.batchesMax;
    return hasRoom && waiting.length === 0 && underWay.every((size) => size === 1);
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
    while (this.mayStart()) void this.runBatch(this.waiting.splice(0, this.options.batchMax));
    this.startLater();
    if (!this.isIdle()) return;
    this.timer?.cancel();
    this.timer = null;
    for (const tell of this.whenIdle.splice(0)) tell();
  }

  private mayStart(): boolean {
    const { batchMax, batchesMax } = this.options;
    if (this.waiting.length === 0 || this.underWay.length >= batchesMax) return false;
    const enough = Math.min(batchMax, Math.max(0, ...this.underWay));
    return this.waiting.length >= enough || this.gatherLeftMs() <= 0;
  }

  /** One timer, for whichever entry is the oldest when it fires. */
  private startLater(): void {
    if (this.waiting.length === 0 || this.timer !== null) return;
    if (this.underWay.length >= this.options.batchesMax) return;
    this.timer = this.options.clock.after(Math.max(0, this.gatherLeftMs()), () => {
      this.timer = null;
      this.start();
    });
  }

  private gatherLeftMs(): number {
    const { clock, gatherMs } = this.options;
    return (this.waiting[0]?.askedAt ?? Infinity) + gatherMs - clock.monotonic();
  }

  private async runBatch(entries: readonly Entry<Item, Result>[]): Promise<void> {
    this.underWay.push(entries.length);
    try {
      await this.options.run(entries);
    } catch (error) {
      for (const entry of entries) entry.reject(error);
    }
    this.underWay.splice(this.underWay.indexOf(entries.length), 1);
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
    return this.waiting.length === 0 && this.underWay.length === 0;
  }
}
