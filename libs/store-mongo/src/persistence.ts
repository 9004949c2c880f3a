import { growingDelay, spreadDelay } from '#core';
import type { Entry } from './batcher.js';
import type { Settings } from './options.js';
import type { ServerCalls } from './server-calls.js';

/** Waits between attempts, in milliseconds: doubled each time, up to a cap. */
const GROWTH = { firstMs: 20, maxMs: 500 };

/** Shortest time that an operation is given, however little is left. */
const OPERATION_MIN_MS = 100;

/** Entries that are not settled after one attempt, and why. */
export interface Rest<E> {
  readonly open: readonly E[];
  readonly cause: unknown;
}

/** One attempt: settles what it can and returns the rest. `ms` is the time for each operation. */
type Attempt<E> = (open: readonly E[], ms: number) => Promise<Rest<E>>;

/**
 * Reads back the entries that the answer of the server did not settle; resolves to those that are
 * still open. `cause`: why it did not settle them; undefined: the server is sure, and refused them.
 */
export async function readBackRest<E>(
  missed: readonly E[],
  cause: unknown,
  readBack: (missed: readonly E[]) => Promise<readonly E[]>,
): Promise<Rest<E>> {
  if (missed.length === 0) return { open: [], cause: undefined };
  try {
    return { open: await readBack(missed), cause };
  } catch (error) {
    return { open: missed, cause: cause ?? error };
  }
}

/** Repeats a batch of writes until the fate of each is known, or its time is over. */
export class Persistence<Item, Result> {
  constructor(
    private readonly calls: ServerCalls,
    /** Names the writes in messages. */
    private readonly what: string,
    private readonly attempt: Attempt<Entry<Item, Result>>,
  ) {}

  async settle(entries: readonly Entry<Item, Result>[]): Promise<void> {
    let rest: Rest<Entry<Item, Result>> = { open: entries, cause: undefined };
    for (let nth = 0; rest.open.length > 0; nth += 1) {
      if (nth > 0) await this.pause(nth);
      const open = this.inTime(rest);
      if (open.length === 0) return;
      rest = await this.attemptEach(open);
    }
  }

  /** A fault of one item must not harm those beside it. */
  private async attemptEach(
    open: readonly Entry<Item, Result>[],
  ): Promise<Rest<Entry<Item, Result>>> {
    try {
      return await this.attempt(open, this.operationMs(open));
    } catch (error) {
      if (open.length > 1) {
        await Promise.all(open.map((entry) => this.settle([entry])));
      } else {
        open[0]?.reject(error);
      }
      return { open: [], cause: error };
    }
  }

  private inTime({ open, cause }: Rest<Entry<Item, Result>>): readonly Entry<Item, Result>[] {
    return open.filter((entry) => {
      const { harm } = this.calls;
      if (this.leftMs(entry) > 0 && harm === null) return true;
      entry.reject(harm ?? this.calls.unavailable(`${this.what}: outcome unknown`, cause));
      return false;
    });
  }

  private operationMs(open: readonly Entry<Item, Result>[]): number {
    const left = Math.max(...open.map((entry) => this.leftMs(entry)));
    return Math.max(OPERATION_MIN_MS, Math.min(this.settings.operationMs, left));
  }

  private leftMs(entry: Entry<Item, Result>): number {
    return entry.askedAt + this.settings.limitMs - this.settings.clock.monotonic();
  }

  private pause(nth: number): Promise<void> {
    const { clock, random } = this.settings;
    return clock.sleep(spreadDelay(growingDelay(GROWTH, nth), random()));
  }

  private get settings(): Settings {
    return this.calls.settings;
  }
}
