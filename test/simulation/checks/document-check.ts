import {
  type ActionRun,
  type ChildTally,
  isFinal,
  JOURNAL_MAX,
  type JournalKind,
  mayHaveEffect,
  type StepRuns,
  type Task,
  TASK_STATUS,
} from '#core';
import { runIdOf, stepAt } from '#core/scopes';
import { tallyFault } from '../../fuzz/tally-fault.js';
import { clockErrorMs } from '../scenario.js';
import { lifeOf } from '../session-server.js';
import type { Stored } from '../store-server.js';
import type { World } from '../world.js';
import { earlyStart, earlyUndo, isCommand } from './followed.js';
import { mayGetTo, mayTaskGetTo } from './moves.js';
import { newEntries } from './new-entries.js';
import { type Pair, pairsOf } from './pairs.js';
import { standingFault } from './standing-check.js';

/**
 * No wait of a task is longer than this, in milliseconds: an action that runs is looked at when it
 * is past its deadline.
 */
const WAIT_MAX_MS = 150_000;
/** Clocks differ and writes take their time. */
const SLACK_MS = 30_000;

const NO_ACTION = { retry: { attempts: 0 } };

/**
 * Only a final task is never looked at again, a paused one without a running action, and one that
 * waits for another system.
 */
function wantsLook({ hold, paused, runs, status }: Task): boolean {
  if (isFinal(status)) return false;
  const isHeld = hold !== null && hold.why !== 'rollback_failed';
  if (isHeld && (paused !== null || !runs.some(isUnderWay))) return false;
  const isAwaited = runs.some(({ normal }) => normal.state === 'waiting' && normal.dueAt === null);
  if (isAwaited && !runs.some(isUnderWay)) return false;
  if (paused === null || status !== TASK_STATUS.paused) return true;
  return runs.some(({ normal, rollback }) => {
    return normal.lease !== null || (rollback !== null && rollback.lease !== null);
  });
}

/** Whether a command of the step is in a queue or in a process's hands. */
function isUnderWay({ normal, rollback }: StepRuns): boolean {
  return [normal, rollback].some((run) => run !== null && (run.lease !== null || isQueued(run)));
}

function isQueued({ state }: ActionRun): boolean {
  return state === 'queued';
}

/** Looks at each document as it is stored, beside the one that was there before. */
export class DocumentCheck {
  readonly #resumes = new Map<string, number>();

  constructor(private readonly world: World) {}

  look({ at, task, writer }: Stored, before: Task | null): void {
    this.lookAtTask(task, before);
    const limit = at + WAIT_MAX_MS + SLACK_MS + this.clockErrorMs(task, before);
    if (wantsLook(task) && (task.wakeAt === null || task.wakeAt > limit)) {
      this.fail('I9', task, `nobody looks at it until ${task.wakeAt}`);
    }
    for (const pair of pairsOf(task, before)) {
      this.lookAtMove(task, pair);
      this.lookAtClaim(task, pair, { writer, before });
      this.lookAtOrder(task, pair);
      this.lookAtBudget(task, pair);
      this.lookAtUndo(task, pair);
    }
  }

  /**
   * Two clocks differ by up to twice the error of one. A resume moves deadlines by the length of
   * the pause, which begins by one clock and ends by another.
   */
  private clockErrorMs(task: Task, before: Task | null): number {
    const { taskId } = task.plan;
    const earlier = this.#resumes.get(taskId) ?? 0;
    const resumes = earlier + (before === null ? 0 : addedOf(task, before, 'resume_requested'));
    this.#resumes.set(taskId, resumes);
    return 2 * clockErrorMs(this.world.scenario) * (1 + resumes);
  }

  /** The steps of its flow are not counted before it begins a scope. */
  private lookAtRoom(task: Task, before: Task): void {
    const { runs: most } = this.world.scenario;
    const whole = task.runs.length + task.scopes.length;
    if (most === null || task.scopes.length === before.scopes.length || whole <= most) return;
    this.fail('I32', task, `it has ${whole} runs and scopes, at most ${most} are allowed`);
  }

  private lookAtTask(task: Task, before: Task | null): void {
    if (task.revision !== (before?.revision ?? 0) + 1) {
      this.fail('I5', task, `revision ${before?.revision ?? 0} was followed by ${task.revision}`);
    }
    const fault = standingFault(task, before);
    if (fault !== null) this.fail('I5', task, fault);
    const tally = tallyFault(task);
    if (tally !== null) this.fail('I22', task, tally);
    if (before === null) return;
    this.lookAtRoom(task, before);
    const isTold = task.failureTask !== before.failureTask;
    const isMoved = newEntries(task, before).some(({ kind }) => kind !== 'reported_late');
    const mayWrite = wasReset(task, before) || hasChildren(task) || isTold || !isMoved;
    if (isFinal(before.status) && !mayWrite) {
      this.fail('I1', task, 'was written after its end');
    }
    this.lookAtGenerations(task, before);
    if (!mayTaskGetTo(before.status, task.status)) {
      this.fail('I5', task, `status ${before.status} -> ${task.status}`);
    }
    if (task.plan !== before.plan) this.fail('I16', task, 'its plan changed');
    if (task.token < before.token) this.fail('I5', task, 'its token went back');
    const gap = journalGap(task, before);
    if (gap !== null) this.fail('I5', task, gap);
  }

  /** A run is renewed by a reset alone, and never taken back. */
  private lookAtGenerations(task: Task, before: Task): void {
    // Retried is also what was undone because it was caught.
    const resets =
      addedOf(task, before, 'forward_again') + addedOf(task, before, 'retry_requested');
    for (const [step, { generation }] of task.runs.entries()) {
      const former = before.runs[step];
      const newer = generation - (former?.generation ?? 1);
      if (newer >= 0 && newer <= resets) continue;
      // A place whose scope was forgotten is given to a run of another scope.
      if (former !== undefined && stepIdOf(before, step) !== stepIdOf(task, step)) continue;
      this.fail('I23', task, `step ${step} is ${newer} runs further, after ${resets} resets`);
    }
  }

  private lookAtMove(task: Task, { after, before, direction, step }: Pair): void {
    const from = before?.state ?? (direction === 'rollback' ? 'none' : 'pending');
    const name = `${direction} of step ${step}`;
    const isBarred = !mayGetTo(direction, from, after.state);
    if (isBarred && !(direction === 'normal' && isReopened({ after, before }))) {
      this.fail('I5', task, `${name}: ${from} -> ${after.state}`);
    }
    // A scope without anything to undo is undone at once.
    const isTaken = isCommand(task, direction, step);
    const isCompleted = before?.look === 'outside' || isCompletedBy(task);
    const isDone = after.state === 'succeeded' && from !== 'succeeded' && from !== 'running';
    // The worker of a claim that has ended told its outcome before another claim.
    const expired = before?.expired ?? null;
    const isRevived = expired !== null && isReported(task, expired.token);
    if (isTaken && isDone && !isCompleted && !isRevived) {
      this.fail('I5', task, `${name} succeeded and was ${from}`);
    }
    if ((isTaken && after.state === 'running') !== (after.lease !== null)) {
      this.fail('I5', task, `${name} is ${after.state}, and its lease does not fit`);
    }
  }

  private lookAtClaim(
    task: Task,
    { after, before, direction, step }: Pair,
    commit: { readonly writer: string; readonly before: Task | null },
  ): void {
    const name = `${direction} of step ${step}`;
    const { lease } = after;
    const isNew = lease !== null && before?.lease?.token !== lease.token;
    if (isNew && (lease.token <= (commit.before?.token ?? 0) || lease.token > task.token)) {
      this.fail('I5', task, `${name} has the old token ${lease.token}`);
    }
    if (isNew && lease.terms === undefined && lifeOf(lease.owner) !== commit.writer) {
      this.fail('I5', task, `${name} was claimed by ${commit.writer} for ${lease.owner}`);
    }
    const holder = lifeOf(before?.lease?.owner);
    const isDone = after.state === 'succeeded' && before?.state === 'running';
    // Any gateway stores the outcome of a worker.
    if (before?.lease?.terms !== undefined) return;
    const isCompleted = isCompletedBy(task);
    if (isDone && !isCompleted && isCommand(task, direction, step) && holder !== commit.writer) {
      this.fail('I5', task, `${commit.writer} ended ${name}, which ${holder} holds`);
    }
  }

  /** Dependents of a step are undone before it; its own needs are done before it. */
  private lookAtOrder(task: Task, { after, before, direction, step }: Pair): void {
    if (before?.state === after.state) return;
    if (after.state !== 'queued' && after.state !== 'running') return;
    if (direction === 'normal') {
      const early = earlyStart(task, step);
      if (early !== null) this.fail('I4', task, `step ${step} starts ${early}`);
      return;
    }
    const later = earlyUndo(task, step);
    if (later === null) return;
    this.fail('I4', task, `step ${step} is undone before step ${later}, which followed it`);
  }

  private lookAtBudget(task: Task, { after, direction, step }: Pair): void {
    const plan = stepAt(task, step);
    const isGroup = plan?.group !== undefined && direction === 'normal';
    if (!isGroup && !isCommand(task, direction, step)) return;
    const { retry } = isGroup ? plan : (plan?.[direction] ?? NO_ACTION);
    const budget =
      'forEach' in retry ? (retry.forEach as readonly unknown[]).length : retry.attempts;
    if (after.spent > budget) {
      this.fail('I10', task, `${direction} of step ${step} spent ${after.spent} of ${budget}`);
    }
  }

  /** A run that is undone may have been entered. */
  private lookAtUndo(task: Task, { after, direction, step }: Pair): void {
    const normal = task.runs[step]?.normal;
    if (direction !== 'rollback' || normal === undefined || mayHaveEffect(normal)) return;
    if (after.startedAt === null) return;
    this.fail('I18', task, `step ${step} was refused before it was entered, and is undone`);
  }

  private fail(invariant: string, { plan, revision }: Task, message: string): void {
    this.world.violate(invariant, `${plan.taskId} r${revision}: ${message}`);
  }
}

/** Whether a step that has ended is to begin more of its child tasks, beside those that stay. */
function isReopened({ after, before }: Pick<Pair, 'after' | 'before'>): boolean {
  return before?.state === 'succeeded' && roundsOf(after) > roundsOf(before);
}

/** How many rounds of child tasks a step has before the present one, or before the next. */
function roundsOf({ values }: ActionRun): number {
  const { anew, earlier = [] } = (values ?? {}) as Partial<ChildTally>;
  return earlier.length + (anew === undefined ? 0 : 1);
}

function wasReset(task: Task, before: Task): boolean {
  return addedOf(task, before, 'reset_requested') + addedOf(task, before, 'undo_requested') > 0;
}

/** Whether a task that was terminated may still count its child tasks. */
function hasChildren({ outcome, scopes }: Task): boolean {
  return outcome === 'terminated' && scopes.some(({ kind }) => kind === 'children');
}

/** Whether another system has said how an attempt ended, in whatever commit. */
function isCompletedBy({ doneActions }: Task): boolean {
  return doneActions.some(({ action }) => action === 'complete');
}

/** The id of a run without its generation: where its step stands, and in which runs around it. */
function stepIdOf(task: Task, place: number): string {
  return runIdOf(task, place).replace(/~\d+$/, '');
}

/** Whether an outcome of a claim is remembered that counted. */
function isReported({ reports }: Task, token: number): boolean {
  return reports.some((report) => report.token === token && report.late === undefined);
}

/** Only a journal that grew too long has gaps, and the entries of a commit stand at its end. */
function journalGap(task: Task, before: Task): string | null {
  const { journal, journalSeq } = task;
  if (journalSeq < before.journalSeq) return 'its journal went back';
  const isThinned = journalSeq > JOURNAL_MAX;
  if (!isThinned && journal.entries().some(({ seq }, index) => seq !== index + 1)) {
    return 'its journal has gaps';
  }
  const added = newEntries(task, before);
  const isNew = added.every(({ seq }, index) => seq === before.journalSeq + index + 1);
  return isNew && journal.at(-1)?.seq === journalSeq
    ? null
    : 'its journal does not tell the commit';
}

function addedOf(task: Task, before: Task, kind: JournalKind): number {
  return newEntries(task, before).filter((entry) => entry.kind === kind).length;
}
