import {
  type ActionRun,
  type CrashPolicy,
  FAILURE_CODES,
  isActive,
  type JournalEntry,
  type Task,
} from '#core';
import { runIdOf, stepAt } from '#core/scopes';
import type { Stored } from '../store-server.js';
import type { World } from '../world.js';
import { isCommand } from './followed.js';
import { newEntries } from './new-entries.js';
import { isAbout, pairsOf } from './pairs.js';

/** An action with an attempt that was lost with its process in this commit. */
interface Loss {
  readonly policy: CrashPolicy;
  /** Attempts lost so far, this one included. */
  readonly losses: number;
  readonly before: ActionRun;
  readonly after: ActionRun;
  /** Starts of it that the same commit noted. */
  readonly starts: number;
}

/** Whether an action has failed by this loss. */
function isUsedUp(policy: CrashPolicy, losses: number): boolean {
  return policy === 'fail' || losses > policy.restarts;
}

/** Whether a person retried the step in the same commit, after its attempt was lost. */
function isRetried(
  added: readonly JournalEntry[],
  isIt: (entry: JournalEntry) => boolean,
): boolean {
  const lostAt = added.findIndex((entry) => entry.kind === 'lease_lost' && isIt(entry));
  return added.findLastIndex(({ kind }) => kind === 'retry_requested') > lostAt;
}

/**
 * A crash is not the author's failure: what a lost attempt costs, counted by the journal alone,
 * whatever the document says that it counts.
 */
export class CrashCheck {
  /** By task, run and direction: attempts lost since the budget was fresh. */
  private readonly losses = new Map<string, number>();

  constructor(private readonly world: World) {}

  look({ task }: Stored, before: Task | null): void {
    if (before === null) return;
    const added = newEntries(task, before);
    if (added.some(({ kind }) => kind === 'retry_requested')) this.forget(before);
    for (const { after, before: old, direction, step } of pairsOf(task, before)) {
      if (old?.state !== 'running' || old.look !== 'none') continue;
      const { normal, rollback } = stepAt(task, step)!;
      const isIt = (entry: JournalEntry): boolean => isAbout(entry, task, step);
      const count = (kind: string): number =>
        added.filter((entry) => entry.kind === kind && isIt(entry) && entry.direction === direction)
          .length;
      // Steps that run because of the loss are another thing.
      if (count('lease_lost') === 0 || !isCommand(task, direction, step)) continue;
      const key = `${task.plan.taskId} ${runIdOf(task, step)} ${direction}`;
      const losses = (this.losses.get(key) ?? 0) + 1;
      this.losses.set(key, losses);
      const policy = (direction === 'normal' ? normal : rollback)!.onCrash;
      if (isUsedUp(policy, losses) && isRetried(added, isIt)) {
        this.losses.delete(key);
        continue;
      }
      const loss = { policy, losses, before: old, after, starts: count('started') };
      const fault = this.faultOf(loss);
      if (fault !== null) this.world.violate('I19', `${key} r${task.revision}: ${fault}`);
    }
  }

  /** A person gives what has failed a fresh budget. */
  private forget(task: Task): void {
    for (const [step, { normal, rollback }] of task.runs.entries()) {
      const id = `${task.plan.taskId} ${runIdOf(task, step)}`;
      if (rollback?.state === 'failed') this.losses.delete(`${id} rollback`);
      if (normal.state === 'failed' || normal.state === 'timed_out') {
        this.losses.delete(`${id} normal`);
      }
    }
  }

  private faultOf({ after, before, losses, policy, starts }: Loss): string | null {
    const { world } = this;
    const isFailed = after.state === 'failed' && after.code === FAILURE_CODES.LEASE_LOST;
    if (policy === 'fail') {
      if (isFailed) world.see('not started again after a crash');
      return isActive(after) ? `must not be started again, and is ${after.state}` : null;
    }
    const isFree = losses <= policy.restarts;
    if (isFailed) {
      world.see('restarts used up');
      return isFree ? `failed by loss ${losses} of ${policy.restarts}` : null;
    }
    if (!isActive(after)) return null;
    world.see(isFree ? 'started again after a crash' : 'crash charged as a failure');
    const charged = Math.max(0, before.spent - (isFree ? 1 : 0)) + starts;
    if (after.spent === charged) return null;
    return `loss ${losses} of ${policy.restarts} left ${after.spent} spent, not ${charged}`;
  }
}
