import type { Clock } from '#ports';

interface Waiter {
  take(): void;
}

/** How many commands of each module run in this process at once. */
export class Slots {
  private readonly taken = new Map<string, number>();
  private readonly waiters = new Map<string, Waiter[]>();

  constructor(
    private readonly limit: number,
    private readonly clock: Clock,
  ) {}

  /** Takes a slot if one is free and nobody waits for it. */
  tryTake(module: string): boolean {
    const taken = this.taken.get(module) ?? 0;
    if (taken >= this.limit || (this.waiters.get(module)?.length ?? 0) > 0) return false;
    this.taken.set(module, taken + 1);
    return true;
  }

  /** Takes a slot whether one is free or not, for work that this process owns already. */
  takeAnyway(module: string): void {
    this.taken.set(module, (this.taken.get(module) ?? 0) + 1);
  }

  /** Takes a slot, waiting up to `waitMs` for one; false when none came free. */
  take(module: string, waitMs: number): Promise<boolean> {
    if (this.tryTake(module)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const queue = this.waiters.get(module) ?? [];
      this.waiters.set(module, queue);
      const timer = this.clock.after(waitMs, () => {
        queue.splice(queue.indexOf(waiter), 1);
        resolve(false);
      });
      const waiter: Waiter = {
        take: () => {
          timer.cancel();
          resolve(true);
        },
      };
      queue.push(waiter);
    });
  }

  /** Gives a slot to whoever waits longest, or frees it. */
  release(module: string): void {
    const taken = this.taken.get(module) ?? 0;
    const next = taken <= this.limit ? this.waiters.get(module)?.shift() : undefined;
    if (next === undefined) this.taken.set(module, taken - 1);
    else next.take();
  }

  /** Slots in use, by module. */
  inUse(module: string): number {
    return this.taken.get(module) ?? 0;
  }
}
