import type { ActionRun, Task } from '#core';
import { clockErrorMs } from '../scenario.js';
import { lifeOf } from '../session-server.js';
import { STORE_SLOW_MAX_MS } from '../store-port.js';
import type { Stored, StoreServer } from '../store-server.js';
import type { World } from '../world.js';
import { newEntries } from './new-entries.js';
import { isAbout, pairsOf } from './pairs.js';

/**
 * Longest that a write is under way that lands late, and the rounds of those who look, in
 * milliseconds.
 */
const SLACK_MS = 3 * STORE_SLOW_MAX_MS + 8_000;

/** A lease goes with its session: not before it ends, and soon after. */
export class SessionCheck {
  /** When a lease of a dead process was seen first, by task and token. */
  private readonly orphans = new Map<string, number>();

  /** @param living The lives of processes that go on, by their owners. */
  constructor(
    private readonly world: World,
    private readonly server: StoreServer,
    private readonly living: () => ReadonlySet<string>,
  ) {}

  /** A lease is lost only to the end of its session. Standalone, its process may have died too. */
  look({ at, task }: Stored, before: Task | null): void {
    const added = newEntries(task, before);
    if (!added.some(({ kind }) => kind === 'lease_lost')) return;
    for (const { before: old, direction, step } of pairsOf(task, before)) {
      const isLost = added.some((entry) => {
        if (entry.kind !== 'lease_lost' || entry.direction !== direction) return false;
        return isAbout(entry, task, step);
      });
      const owner = old?.lease?.owner;
      if (!isLost || owner === undefined) continue;
      const isOver = at + clockErrorMs(this.world.scenario) >= (old?.dueAt ?? 0);
      if (old?.lease?.terms === undefined ? this.mayLose(owner) : isOver) continue;
      const what = `${task.plan.taskId}: ${direction} of step ${step}`;
      this.world.violate('I20', `${what} lost its lease; session ${owner} lives`);
    }
  }

  /**
   * Whether what a session holds may be lost. The only process on a store knows that every life
   * before its own is over, and waits for the end of no session.
   */
  private mayLose(session: string): boolean {
    if (this.server.sessions.isOver(session)) return true;
    return this.world.scenario.isStandalone && !this.living().has(lifeOf(session)!);
  }

  /** Without trouble, a lease whose session cannot go on is lost soon. */
  lookForOrphans(healedAt: number): void {
    const { now, scenario } = this.world;
    const living = this.living();
    const { governanceIntervalMs, leaseMs } = scenario;
    const boundMs = SLACK_MS + 2 * leaseMs + 3 * governanceIntervalMs;
    for (const task of this.server.tasks.values()) {
      for (const run of runsOf(task)) {
        const owner = run?.lease?.owner;
        if (owner === undefined || run?.lease?.terms !== undefined) continue;
        if (this.goesOn(owner, living)) continue;
        const key = `${task.plan.taskId} ${run?.lease?.token}`;
        const since = Math.max(this.orphans.get(key) ?? now, healedAt);
        this.orphans.set(key, since);
        if (now - since <= boundMs) continue;
        this.world.violate('I9', `${key} is held by ${owner}, over for ${now - since} ms`);
      }
    }
  }

  private goesOn(owner: string, living: ReadonlySet<string>): boolean {
    return living.has(lifeOf(owner)!) && !this.server.sessions.isOver(owner);
  }
}

function runsOf({ runs }: Task): readonly (ActionRun | null)[] {
  return runs.flatMap(({ normal, rollback }) => [normal, rollback]);
}
