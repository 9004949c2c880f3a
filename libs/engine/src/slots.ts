import type { Clock, Places, WaitingLine } from '#ports';

/** A message in this process that waits for a slot. */
interface Waiter {
  readonly orderAt: number;
  take(): void;
}

/** How many commands of each module run in this process at once, and in which order they start. */
export class Slots {
  private readonly modules = new Map<string, ModuleSlots>();

  constructor(
    private readonly limit: number,
    private readonly clock: Clock,
    /** How many of these may be taken now. */
    private readonly shareOf: (limit: number) => number = (all) => all,
  ) {}

  /** Takes a slot if one is free and nothing waits for it that goes before `orderAt`. */
  tryTake(module: string, orderAt: number): boolean {
    return this.of(module).tryTake(orderAt);
  }

  /** Whether a slot may pass from its holder to a follow-up: nothing that waits goes before it. */
  mayPass(module: string, orderAt: number): boolean {
    return this.of(module).mayPass(orderAt);
  }

  /** Takes a slot whether one is free or not, for work that this process owns already. */
  takeAnyway(module: string): void {
    this.of(module).taken += 1;
  }

  /** Takes a slot, waiting up to `waitMs` for one; false when none came free. */
  take(module: string, orderAt: number, waitMs: number): Promise<boolean> {
    return this.of(module).take(orderAt, waitMs);
  }

  /** Gives a slot to what goes first of all that waits, or frees it. */
  release(module: string): void {
    this.of(module).release();
  }

  /** More slots may be taken than before: gives them to what waits. */
  fill(): void {
    for (const slots of this.modules.values()) slots.fill();
  }

  /** Slots in use, by module. */
  inUse(module: string): number {
    return this.modules.get(module)?.taken ?? 0;
  }

  /** The slots of a module, for a transport that delivers to them. */
  places(module: string): Places {
    return this.of(module);
  }

  private of(module: string): ModuleSlots {
    let slots = this.modules.get(module);
    if (slots === undefined) {
      slots = new ModuleSlots(this.limit, this.clock, this.shareOf);
      this.modules.set(module, slots);
    }
    return slots;
  }
}

/** The slots of one module, and what waits for them. */
class ModuleSlots implements Places {
  taken = 0;
  private line: WaitingLine | null = null;
  /** By order time. There are as many at most as a broker has delivered. */
  private readonly waiters: Waiter[] = [];

  constructor(
    readonly count: number,
    private readonly clock: Clock,
    private readonly shareOf: (limit: number) => number,
  ) {}

  get free(): number {
    return this.shareOf(this.count) - this.taken;
  }

  join(line: WaitingLine): void {
    this.line = line;
  }

  leave(line: WaitingLine): void {
    if (this.line === line) this.line = null;
  }

  tryTake(orderAt: number): boolean {
    if (this.free <= 0 || !this.mayPass(orderAt)) return false;
    this.taken += 1;
    return true;
  }

  mayPass(orderAt: number): boolean {
    return this.nextAt >= orderAt;
  }

  take(orderAt: number, waitMs: number): Promise<boolean> {
    if (this.tryTake(orderAt)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = this.clock.after(waitMs, () => {
        this.waiters.splice(this.waiters.indexOf(waiter), 1);
        resolve(false);
      });
      const take = (): void => {
        timer.cancel();
        resolve(true);
      };
      const waiter: Waiter = { orderAt, take };
      this.insert(waiter);
    });
  }

  release(): void {
    if (this.waiters.length > 0 && this.free >= 0) {
      this.waiters.shift()?.take();
      return;
    }
    this.taken -= 1;
    // Mostly nothing waits, and how many slots are free depends on the clock.
    if (this.line !== null && this.line.nextAt < Infinity && this.free > 0) this.line.serve();
  }

  fill(): void {
    while (this.waiters.length > 0 && this.free > 0) {
      this.taken += 1;
      this.waiters.shift()?.take();
    }
    if (this.free > 0) this.line?.serve();
  }

  /** Order time of what goes first of all that waits here; infinite where nothing does. */
  private get nextAt(): number {
    const inLine = this.line?.nextAt ?? Infinity;
    return Math.min(inLine, this.waiters[0]?.orderAt ?? Infinity);
  }

  /** From the end: messages mostly come in the order in which they are to go. */
  private insert(waiter: Waiter): void {
    let at = this.waiters.length;
    while (at > 0 && (this.waiters[at - 1]?.orderAt ?? 0) > waiter.orderAt) at -= 1;
    this.waiters.splice(at, 0, waiter);
  }
}
