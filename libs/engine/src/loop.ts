import type { Clock, Observer } from '#ports';

/** Something done again and again. */
interface LoopWork {
  readonly name: string;
  readonly intervalMs: number;
  /** One round. An error from it is noticed, and the next round comes all the same. */
  tick(): Promise<unknown>;
}

/** Shortest and longest pause between two passes, in milliseconds. */
const LEAST_MS = 500;

const MOST_MS = 60_000;

/**
 * Start and stop around a public `tick()`. Stop is idempotent, waits for the round in hand, and is
 * safe before start.
 */
export class Loop {
  private running: Promise<void> | null = null;
  private stopped = false;
  private wake: (() => void) | null = null;

  constructor(
    private readonly work: LoopWork,
    private readonly clock: Clock,
    private readonly observer: Observer,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wake?.();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.work.tick();
      } catch (error) {
        const message = `a round of ${this.work.name} failed; the next one tries again`;
        this.observer.noticed({ level: 'warn', name: `${this.work.name}_failed`, message, error });
      }
      if (!this.stopped) await this.pause();
    }
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.clock.after(this.work.intervalMs, resolve);
      this.wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

/** The pause between two passes over what is kept for so long, in milliseconds. */
export function pauseOfPass(keptMs: number): number {
  return within(keptMs / 20, [LEAST_MS, MOST_MS]);
}

/** The number, or the bound that it lies beyond. */
export function within(ms: number, [least, most]: readonly [number, number]): number {
  return Math.min(most, Math.max(least, ms));
}
