import type { Clock, Observer } from '#ports';

/** Something done again and again. */
interface LoopWork {
  readonly name: string;
  readonly intervalMs: number;
  /** One round. An error from it is noticed, and the next round comes all the same. */
  tick(): Promise<unknown>;
}

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
