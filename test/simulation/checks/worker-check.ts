import type { ActionRun, JournalEntry, LeaseTerms, Task } from '#core';
import { runOf, stepAt } from '#core/scopes';
import type { CommandContext } from '#ports';
import { clockErrorMs } from '../scenario.js';
import type { Stored, StoreServer } from '../store-server.js';
import type { World } from '../world.js';
import { isCommand } from './followed.js';
import { newEntries } from './new-entries.js';
import { isAbout, type Pair, pairsOf } from './pairs.js';

/** The longest lease before a sign of life, and after a worker was told to stop; milliseconds. */
const DELIVERED_MS = 15_000;
const STOP_WITHIN_MS = 10_000;

/** Claims in a row without a sign of life that cost nothing. */
const FREE_CLAIMS = 10;

/** A worker's lease before and after a commit. */
interface Terms {
  readonly dueAt: number;
  readonly terms: LeaseTerms;
}

/** The leases of workers: each has an end, and what was only delivered costs nothing. */
export class WorkerCheck {
  /** Attempts of actions that must not begin twice, by task, run, direction and number. */
  private readonly begun = new Set<string>();

  constructor(
    private readonly world: World,
    private readonly server: StoreServer,
  ) {}

  /** A command begins: of an action that must not begin twice, each attempt once. */
  begins(context: CommandContext): void {
    const { attempt, cursor, direction, fencingToken, run, taskId } = context;
    const all = this.server.history.get(taskId) ?? [];
    const claimed = all.findLast(({ task }) => {
      return runOf(task, { direction, step: cursor })?.lease?.token === fencingToken;
    })?.task;
    if (claimed === undefined) return;
    const half = runOf(claimed, { direction, step: cursor });
    if (stepAt(claimed, cursor)?.[direction]?.onCrash !== 'fail' || half?.look !== 'none') return;
    const key = `${taskId} ${run} ${direction} attempt ${attempt}`;
    if (this.begun.has(key)) this.world.violate('I19', `${key} begins again`);
    this.begun.add(key);
  }

  look({ at, task }: Stored, before: Task | null): void {
    for (const pair of pairsOf(task, before)) {
      if (!isCommand(task, pair.direction, pair.step)) continue;
      this.lookAtEnd({ at, task }, pair);
      this.lookAtUndo(task, pair);
      if (before !== null) this.lookAtLoss({ at, task }, pair, before);
    }
    this.lookAtWake(task);
  }

  /** A lease has an end that its terms allow. */
  private lookAtEnd({ at, task }: Pick<Stored, 'at' | 'task'>, pair: Pair): void {
    const now = termsOf(pair.after);
    if (now === null) return;
    const isNew = pair.before?.lease?.token !== pair.after.lease?.token;
    const former = isNew || pair.before === null ? null : termsOf(pair.before);
    const { isCancelled, isHeld, lengthMs } = now.terms;
    const most = isCancelled ? STOP_WITHIN_MS : isHeld ? lengthMs : DELIVERED_MS;
    if (isNew && (isHeld || isCancelled)) this.fail(task, pair, 'is held before a sign of life');
    if (now.dueAt > at + most + clockErrorMs(this.world.scenario)) {
      this.fail(task, pair, `ends ${now.dueAt - at} ms from now, not within ${most}`);
    }
    if (former === null || !former.terms.isCancelled) return;
    if (!isCancelled || now.dueAt > former.dueAt) this.fail(task, pair, 'was renewed after a stop');
  }

  /** No step is undone while a worker may still be at it. */
  private lookAtUndo(task: Task, { after, direction, step }: Pair): void {
    if (direction !== 'rollback') return;
    const isUnderWay = after.state === 'queued' || after.state === 'running';
    const normal = task.runs[step]?.normal;
    if (!isUnderWay || normal === undefined || termsOf(normal) === null) return;
    this.world.violate('I36', `${task.plan.taskId}: step ${step} is undone beside its worker`);
  }

  /** A lease is over by its end, by an outcome, or because it was given back. */
  private lookAtLoss({ at, task }: Pick<Stored, 'at' | 'task'>, pair: Pair, before: Task): void {
    const old = pair.before === null ? null : termsOf(pair.before);
    const lease = pair.before?.lease ?? null;
    if (old === null || lease === null || pair.after.lease?.token === lease.token) return;
    const added = newEntries(task, before).filter((entry) => {
      return isAbout(entry, task, pair.step) && (entry.direction ?? 'normal') === pair.direction;
    });
    const isReported = task.reports.some(({ token }) => token === lease.token);
    if (isReported) return;
    const isGivenBack = added.some(({ kind }) => kind === 'handed_back');
    const isOver = at + clockErrorMs(this.world.scenario) >= old.dueAt;
    if (!isOver && !isGivenBack && !isRefused(added) && !isStopped(task)) {
      this.fail(task, pair, `is over ${old.dueAt - at} ms before its end`);
    }
    const isUnheld = !old.terms.isHeld && isExpired(pair.after, lease.token);
    if (isUnheld) this.lookAtCost(task, pair, { added, terms: old.terms });
  }

  /** A claim that was only delivered costs no attempt. */
  private lookAtCost(
    task: Task,
    pair: Pair,
    lost: { readonly added: readonly JournalEntry[]; readonly terms: LeaseTerms },
  ): void {
    const { added, terms } = lost;
    const { after, before } = pair;
    this.world.see('delivered claim ended');
    if (terms.unheld >= FREE_CLAIMS) return this.world.see('delivered claims in a row charged');
    if (added.some(({ kind }) => kind === 'lease_lost')) this.fail(task, pair, 'is charged');
    if (before === null || before.look !== 'none' || after.state !== 'queued') return;
    const starts = added.filter(({ kind }) => kind === 'started').length;
    const wanted = before.attempts - 1 + starts;
    if (after.attempts === wanted) return;
    this.fail(task, pair, `left ${after.attempts} attempts, not ${wanted}`);
  }

  /** A process looks at the task when a lease ends. */
  private lookAtWake(task: Task): void {
    for (const { normal, rollback } of task.runs) {
      for (const run of [normal, rollback]) {
        const terms = run === null ? null : termsOf(run);
        if (terms === null || (task.wakeAt !== null && task.wakeAt <= terms.dueAt)) continue;
        const ends = `ends at ${terms.dueAt}, and the task is looked at ${task.wakeAt}`;
        this.world.violate('I36', `${task.plan.taskId} r${task.revision}: a lease ${ends}`);
      }
    }
  }

  private fail({ plan, revision }: Task, { direction, step }: Pair, message: string): void {
    const what = `${plan.taskId} r${revision}: lease of ${direction} of step ${step}`;
    this.world.violate('I36', `${what} ${message}`);
  }
}

function termsOf({ dueAt, lease }: ActionRun): Terms | null {
  return lease?.terms === undefined || dueAt === null ? null : { dueAt, terms: lease.terms };
}

/** Whether the last claim of a run ended by itself. */
function isExpired({ expired }: ActionRun, token: number): boolean {
  return expired?.token === token && !expired.isHandedBack;
}

/** Whether an attempt could not be given to its worker, or another system said how it ended. */
function isRefused(added: readonly JournalEntry[]): boolean {
  return added.some(({ actor, kind, refused }) => {
    return refused === true || (kind === 'succeeded' && actor !== undefined);
  });
}

function isStopped({ outcome }: Task): boolean {
  return outcome === 'terminated';
}
