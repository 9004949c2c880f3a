import type { ActionRef, Task } from '#core';
import { actionOf, openActions, runOf } from '#core/scopes';
import type { ModuleLimit } from '#ports';
import type { Stored, StoreServer } from '../store-server.js';
import { STORE_SLOW_MAX_MS } from '../store-port.js';
import type { World } from '../world.js';

/** Longest that an action counts which has ended: some looks at what is admitted, and calls. */
const SLACK_MS = 8 * STORE_SLOW_MAX_MS + 60_000;

/** The limits of modules hold over all processes, and what has ended does not count. */
export class LimitCheck {
  private readonly limits: ReadonlyMap<string, ModuleLimit>;
  /** When an action was seen first that counts and does not run. */
  private readonly idle = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly server: StoreServer,
  ) {
    this.limits = new Map(world.scenario.limits.map((limit) => [limit.module, limit]));
  }

  look({ task }: Stored, before: Task | null): void {
    if (this.limits.size === 0) return;
    for (const ref of openActions(task)) {
      if (!isInHand(task, ref) || (before !== null && isInHand(before, ref))) continue;
      const limit = this.limits.get(actionOf(task, ref)?.module ?? '');
      if (limit !== undefined) this.lookAtStart(task, limit, ref.direction);
    }
  }

  /** Whether nothing is admitted. */
  areFree(): boolean {
    return this.server.admissions.every(({ actions }) => actions.length === 0);
  }

  /** Without trouble, no action counts for long that does not run. */
  lookForLeaks(healedAt: number): void {
    const { now } = this.world;
    const idle = new Set<string>();
    for (const { actions } of this.server.admissions) {
      for (const action of actions) {
        const task = this.server.tasks.get(action.taskId);
        if (task === undefined || isInHand(task, action)) continue;
        idle.add(JSON.stringify(action));
      }
    }
    for (const known of this.idle.keys()) if (!idle.has(known)) this.idle.delete(known);
    for (const each of idle) {
      const since = this.idle.get(each) ?? now;
      this.idle.set(each, since);
      if (now - Math.max(since, healedAt) <= SLACK_MS) continue;
      this.world.violate('I39', `${each} counts and does not run`);
    }
  }

  private lookAtStart(task: Task, { maxConcurrency, module }: ModuleLimit, way: string): void {
    if (maxConcurrency === null) return;
    const share = maxConcurrency === 1 ? 0 : Math.max(1, Math.floor(maxConcurrency / 10));
    const most = way === 'rollback' ? maxConcurrency : maxConcurrency - share;
    // One that goes back counts for none that goes forward: it may have come after it was admitted.
    const count = this.running(module, way === 'rollback' ? null : way);
    if (count === most) this.world.see('a module ran all that its limit allows');
    if (count <= most) return;
    const message = `${count} run of ${module}, at most ${most} may where one goes ${way}`;
    this.world.violate('I39', `${task.plan.taskId} r${task.revision}: ${message}`);
  }

  private running(module: string, way: string | null): number {
    let count = 0;
    for (const task of this.server.tasks.values()) {
      for (const ref of openActions(task)) {
        const isCounted = isInHand(task, ref) && (way ?? ref.direction) === ref.direction;
        if (isCounted && actionOf(task, ref)?.module === module) count += 1;
      }
    }
    return count;
  }
}

function isInHand(task: Task, ref: ActionRef): boolean {
  return (runOf(task, ref)?.lease ?? null) !== null;
}
