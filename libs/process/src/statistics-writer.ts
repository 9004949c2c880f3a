import { Loop } from '#engine';
import type { FlowCounter } from '#platform';
import { STATISTICS } from '#ports';
import type { ProcessContext } from './process-context.js';

/** From one write to the next, in milliseconds: a process that dies loses so much of its counts. */
const INTERVAL_MS = 10_000;

/** Rows of one write. */
const ROWS_MAX = 200;

/** Writes at a stop at most: while one is made, commits that were under way may end. */
const LAST_ROUNDS = 5;

/** The parts of a process that store its statistics. */
type Context = Pick<ProcessContext, 'clock' | 'counted' | 'observer' | 'records'> & {
  readonly store: Pick<ProcessContext['store'], 'ping'>;
};

/**
 * Stores what this process counted of flows: every ten seconds the rows that have changed, and what
 * is left at a clean stop.
 */
export class StatisticsWriter {
  private readonly loop: Loop;
  private isFailing = false;

  constructor(private readonly context: Context) {
    const tick = (): Promise<boolean> => this.tick();
    const work = { name: 'statistics', intervalMs: INTERVAL_MS, tick };
    this.loop = new Loop(work, context.clock, context.observer);
  }

  start(): void {
    this.loop.start();
  }

  /**
   * Stores what is not stored, also of commits that were under way, unless the store does not
   * answer.
   */
  async stop(): Promise<void> {
    await this.loop.stop();
    const { counted, store } = this.context;
    for (let round = 0; round < LAST_ROUNDS; round += 1) {
      await store.ping().catch(() => undefined);
      const isOver = counted.changed().length === 0;
      if (isOver || !(await this.tick())) return;
    }
  }

  /**
   * One write. Tells whether it went well; never rejects: what fails is noticed once, and stored by
   * the next one.
   */
  async tick(): Promise<boolean> {
    const { counted } = this.context;
    const changed = counted.changed();
    try {
      for (let from = 0; from < changed.length; from += ROWS_MAX) {
        await this.store(changed.slice(from, from + ROWS_MAX));
      }
      this.isFailing = false;
    } catch (error) {
      this.tell(error);
    }
    counted.forgetStored();
    return !this.isFailing;
  }

  private async store(counters: readonly FlowCounter[]): Promise<void> {
    const taken = counters.map((counter) => ({ counter, changes: counter.changes }));
    const { records } = this.context;
    await Promise.all(counters.map(({ row }) => records.put(STATISTICS, row, 'any')));
    for (const { changes, counter } of taken) counter.markStored(changes);
  }

  private tell(error: unknown): void {
    if (this.isFailing) return;
    this.isFailing = true;
    const message = 'statistics of flows could not be stored; the next round tries again';
    this.context.observer.noticed({ level: 'warn', name: 'statistics_failed', message, error });
  }
}
