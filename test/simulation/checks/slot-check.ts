import type { SimProcess } from '../sim-process.js';
import { STORE_SLOW_MAX_MS } from '../store-port.js';
import type { World } from '../world.js';

/** Longest that a message without work keeps its slot: some reads of a slow store, and retries. */
const SLACK_MS = 8 * STORE_SLOW_MAX_MS + 60_000;

/** A slot goes with its work: a process that works on nothing has all of them. */
export class SlotCheck {
  /** When a process was seen first with slots that nothing needs, by its owner. */
  private readonly taken = new Map<string, number>();

  /** @param living The processes that go on. */
  constructor(
    private readonly world: World,
    private readonly living: () => readonly SimProcess[],
  ) {}

  /** Whether no process has a slot that nothing needs; some message may still have one. */
  areFree(): boolean {
    return this.living().every((process) => takenBy(process) === 0);
  }

  /** Without trouble, no slot is kept for long without work. */
  lookForLeaks(healedAt: number): void {
    const { now } = this.world;
    for (const process of this.living()) {
      const { owner } = process;
      const count = takenBy(process);
      if (count === 0) {
        this.taken.delete(owner);
        continue;
      }
      const since = Math.max(this.taken.get(owner) ?? now, healedAt);
      this.taken.set(owner, since);
      if (now - since > SLACK_MS) {
        this.world.violate('I35', `${owner} works on nothing, and ${count} slots are taken`);
      }
    }
  }
}

/**
 * Slots that a process has taken while it works on nothing. A command that does not heed its signal
 * outlives its claim, for many leases, and keeps its slot.
 */
function takenBy({ engine, plan, works }: SimProcess): number {
  if (engine === null || works > 0) return 0;
  const { claims, slots } = engine.pieces.state;
  if (claims.size > 0) return 0;
  return plan.modules.reduce((sum, module) => sum + Math.abs(slots.inUse(module)), 0);
}
