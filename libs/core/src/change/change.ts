import { invariant } from '../assert.js';
import type { Action } from '../flow/action.js';
import { actionOf, priorityOf, runOf } from '../scopes/dispatch.js';
import { followRuns } from '../scopes/marked-steps.js';
import { runIdOf } from '../scopes/run-id.js';
import { scopeAt, stepAt, wantsAction } from '../scopes/step-at.js';
import { indexIn } from '../scopes/task-index.js';
import { wakeTime } from '../scopes/wake.js';
import type { ActionRef } from '../task/action-ref.js';
import {
  type ActionRun,
  copyRun,
  type Draft,
  type RunState,
  type StepRuns,
} from '../task/action-run.js';
import type { Moment } from '../task/event.js';
import type { JournalKind, Remark } from '../task/journal.js';
import type { LockTicket } from '../task/lock-ticket.js';
import { orderTime } from '../task/order-time.js';
import { lookAgainAt } from '../task/retry-delay.js';
import type { Scope } from '../task/scope.js';
import { assertMove } from '../task/states.js';
import {
  maySend,
  type Pause,
  startsActions,
  type TaskOutcome,
  type TaskStatus,
} from '../task/status.js';
import type { FailureTask, Task, TaskPlan } from '../task/task.js';
import { AlertChange } from './alert-change.js';
import { FailureChange, JournalChange, LockChange, RequestChange } from './parts.js';
import { IndexChange } from './index-change.js';
import { Progress } from './progress.js';
import { StandingChange } from './standing-change.js';

const NO_REMARK: Remark = Object.freeze({});

/**
 * A task on its way to its next document: events write here, the task read from the store stays as
 * it was. It is read like a task. Each thing that is written has a part: `standing`, `locking`,
 * `failure`, `alerting`, `journal`, `requests`, `progress`, `index`; runs and scopes are put here.
 * It lives no longer than one transition.
 */
export class Change {
  cursor: number;
  token: number;
  hasSecrets: boolean;
  /** Actions that were queued, in this order. */
  readonly queued: ActionRef[] = [];
  /** Steps of which must be known what their templates come to. */
  readonly asked: ActionRef[] = [];
  /** In what direction the task goes, whether it is on hold or paused, and how it ended. */
  readonly standing: StandingChange;
  /** The locks that it holds or waits for. */
  readonly locking: LockChange;
  /** Its failure flow. */
  readonly failure: FailureChange;
  /** Its alert tasks. */
  readonly alerting: AlertChange;
  /** The entries that are noted about it. */
  readonly journal: JournalChange;
  /** The parts that requests from outside leave in it. */
  readonly requests: RequestChange;
  /** The work that `advance` is to follow. */
  readonly progress: Progress;
  /** The facts that follow from its runs and scopes. */
  readonly index: IndexChange;
  readonly now: number;
  private runsCopy: StepRuns[] | null = null;
  private scopesCopy: Scope[] | null = null;
  private isFinished = false;

  constructor(
    readonly base: Task,
    readonly moment: Moment,
  ) {
    const { now } = moment;
    const index = indexIn(base);
    this.now = now;
    this.cursor = base.cursor;
    this.token = base.token;
    this.hasSecrets = base.hasSecrets;
    this.standing = new StandingChange(base, now);
    this.locking = new LockChange(base);
    this.failure = new FailureChange(base, moment);
    this.alerting = new AlertChange(base, moment);
    this.journal = new JournalChange(base, now);
    this.requests = new RequestChange(base);
    this.progress = new Progress(index);
    this.index = new IndexChange(index);
  }

  get plan(): TaskPlan {
    return this.base.plan;
  }

  get runs(): readonly StepRuns[] {
    return this.runsCopy ?? this.base.runs;
  }

  get scopes(): readonly Scope[] {
    return this.scopesCopy ?? this.base.scopes;
  }

  get way(): Task['way'] {
    return this.standing.way;
  }

  get turned(): Task['turned'] {
    return this.standing.turned;
  }

  get hold(): Task['hold'] {
    return this.standing.hold;
  }

  get paused(): Pause | null {
    return this.standing.paused;
  }

  get outcome(): TaskOutcome | null {
    return this.standing.outcome;
  }

  get startedAt(): number | null {
    return this.standing.startedAt;
  }

  get resetAt(): number | null {
    return this.standing.resetAt;
  }

  get message(): string | null {
    return this.standing.message;
  }

  /** Public status of the task as it stands by now. */
  get status(): TaskStatus {
    return this.standing.status;
  }

  get locks(): readonly LockTicket[] {
    return this.locking.tickets;
  }

  get failureTask(): FailureTask | null {
    return this.failure.task;
  }

  get doneActions(): Task['doneActions'] {
    return this.requests.doneActions;
  }

  get edits(): Task['edits'] {
    return this.requests.edits;
  }

  /** The run of an action, or null where there is no such action. */
  run(ref: ActionRef): ActionRun | null {
    return runOf(this, ref);
  }

  action(ref: ActionRef): Action {
    const action = actionOf(this, ref);
    invariant(action !== undefined, `step ${ref.step} has no ${ref.direction} action`);
    return action;
  }

  /** Whether the task, as it stands by now, wants this action to go on. */
  wants(ref: ActionRef): boolean {
    return wantsAction(this, ref);
  }

  /** A copy of the run in its new state, already in its place, for the caller to fill in. */
  edit(ref: ActionRef, run: ActionRun, state: RunState): Draft<ActionRun> {
    if (state !== run.state) assertMove(ref.direction, run.state, state);
    const next = copyRun(run, state);
    this.putRun(ref, next);
    return next;
  }

  /** Replaces a run without looking at the table of moves; for fresh runs only. */
  putRun(ref: ActionRef, next: ActionRun): void {
    const runs = this.runs[ref.step];
    invariant(runs !== undefined, `there is no step ${ref.step}`);
    const { generation, normal, rollback } = runs;
    const isNormal = ref.direction === 'normal';
    this.putPair(
      ref.step,
      isNormal ? { generation, normal: next, rollback } : { generation, normal, rollback: next },
    );
  }

  /** Replaces both halves of a step. Messages queued for the former runs are dropped. */
  putBoth(step: number, next: StepRuns): void {
    this.putPair(step, next);
    for (let n = this.queued.length - 1; n >= 0; n -= 1) {
      const ref = this.queued[n];
      if (ref?.step === step) this.queued.splice(n, 1);
    }
  }

  private putPair(step: number, next: StepRuns): void {
    if (this.runsCopy === null) {
      this.runsCopy = this.base.runs.slice();
      this.index.branch(this.runsCopy, this.scopes);
    }
    this.runsCopy[step] = next;
    followRuns(this, step);
    this.index.touch(step);
  }

  /** Puts the fresh runs of a scope's steps in their places. */
  putBlock(first: number, runs: readonly StepRuns[]): void {
    for (const [n, fresh] of runs.entries()) this.putBoth(first + n, fresh);
  }

  /** Puts a scope in its place, the last one or one that is there. */
  putScope(scope: number, next: Scope): void {
    if (this.scopesCopy === null) {
      this.scopesCopy = this.base.scopes.slice();
      this.index.branch(this.runs, this.scopesCopy);
    }
    this.index.putScope(this.scopesCopy, scope, next);
  }

  /** Ends an action's run for good, or until a person acts. */
  end(ref: ActionRef, run: ActionRun, state: RunState): Draft<ActionRun> {
    const next = this.edit(ref, run, state);
    next.lease = null;
    next.dueAt = null;
    next.orderAt = null;
    next.endedAt = this.now;
    next.look = 'none';
    next.expired = null;
    this.progress.end(scopeAt(this, ref.step), ref, state);
    return next;
  }

  /**
   * Queues an action, asks for its next attempt and puts it in line by its order time. Default:
   * that of what the task's own progress queues now.
   */
  queue(ref: ActionRef, run: ActionRun, orderAt = this.orderTime(ref)): Draft<ActionRun> {
    const next = this.edit(ref, run, 'queued');
    next.lease = null;
    next.dispatches = 1;
    next.orderAt = orderAt;
    next.dueAt = this.now + this.moment.timing.redispatchAfterMs;
    this.enqueue(ref);
    return next;
  }

  /** The order time of what an action does by the task's own progress, now or at a moment. */
  orderTime({ step }: ActionRef, at = this.now): number {
    return orderTime(at, priorityOf(this, step));
  }

  /**
   * Asks what the templates of a step come to. Whoever commits this works it out; until an answer
   * is in, it is asked again and again.
   */
  ask(ref: ActionRef, run: ActionRun): void {
    const next = this.edit(ref, run, run.state === 'running' ? 'running' : 'queued');
    next.dispatches += 1;
    next.orderAt ??= this.now;
    next.dueAt = lookAgainAt(this, next.dispatches);
    this.asked.push({ direction: ref.direction, step: ref.step });
  }

  /** Nothing of a paused task is sent. Events pass themselves: only the reference may leave. */
  private enqueue({ direction, step }: ActionRef): void {
    if (maySend(this)) this.queued.push({ direction, step });
  }

  /** Takes a queued action back that nobody has started. */
  recall(ref: ActionRef, run: ActionRun): void {
    const next = this.edit(ref, run, 'pending');
    next.dueAt = null;
    next.orderAt = null;
    next.expiresAt = null;
    next.dispatches = 0;
  }

  /** Sends the message of a queued action once more and looks again after a longer wait. */
  sendAgain(ref: ActionRef, run: ActionRun): void {
    const next = this.edit(ref, run, 'queued');
    next.dispatches += 1;
    next.dueAt = lookAgainAt(this, next.dispatches);
    this.enqueue(ref);
  }

  /** Looks again at a queued action whose message is probably just waiting in a long queue. */
  putOff(ref: ActionRef, run: ActionRun, waitMs: number): void {
    this.edit(ref, run, 'queued').dueAt = this.now + waitMs;
  }

  /** A fact about the task. */
  note(kind: JournalKind, remark: Remark = NO_REMARK): void {
    this.journal.add(kind, remark, null);
  }

  /** A fact about one action. */
  noteRun(kind: JournalKind, ref: ActionRef, remark: Remark = NO_REMARK): void {
    const step = stepAt(this, ref.step)?.name ?? '';
    const attempt = this.run(ref)?.attempts ?? 0;
    const isOwn = this.scopes.length === 0 || ref.step < this.plan.steps.length;
    const isNamed = isOwn && (this.runs[ref.step]?.generation ?? 1) <= 1;
    const run = isNamed ? null : runIdOf(this, ref.step);
    this.journal.add(kind, remark, { step, direction: ref.direction, attempt, run });
  }

  /** Lets the task go on in its direction, and follows all that ended while it was on hold. */
  endHold(): void {
    this.standing.endHold();
    this.lookAtTimes();
    this.catchUp();
  }

  /** Times of steps that hold steps which were over meanwhile, and put off, are looked at again. */
  private lookAtTimes(): void {
    this.runs.forEach(({ normal }, step) => {
      const { deadline, dueAt, lease, state } = normal;
      if (state !== 'running' || lease !== null || deadline === null) return;
      const isPutOff = dueAt !== null && dueAt > deadline;
      if (isPutOff) this.edit({ direction: 'normal', step }, normal, state).dueAt = deadline;
    });
  }

  /** Lets the task start nothing more; null: lets it start again what is ready. */
  pause(paused: Pause | null): void {
    this.standing.pause(paused);
    if (paused === null) this.catchUp();
  }

  /** All that ended while the task was on hold or paused is followed, in every scope. */
  private catchUp(): void {
    for (let scope = 0; scope < this.scopes.length; scope += 1) this.progress.lookAt(scope);
  }

  /** Ends the task for good; a hold ends with it. */
  endTask(outcome: TaskOutcome): void {
    this.standing.endTask(outcome);
    this.failure.endTask(outcome);
  }

  /** The next document, one revision after the base however many events went into it. Once. */
  finish(): Task {
    invariant(!this.isFinished, 'a change makes one document');
    this.isFinished = true;
    this.locking.letGo(this);
    const { base, journal, requests, runs, standing } = this;
    const next = {
      plan: base.plan,
      revision: base.revision + 1,
      status: standing.status,
      way: standing.way,
      turned: standing.turned,
      hold: standing.hold,
      paused: standing.paused,
      outcome: standing.outcome,
      message: standing.message,
      cursor: this.cursor,
      startedAt: standing.startedAt,
      endedAt: standing.endedAt,
      resetAt: standing.resetAt,
      edits: requests.edits,
      wakeAt: null as number | null,
      token: this.token,
      runs,
      scopes: this.scopes,
      alert: this.alerting.alert,
      doneActions: requests.doneActions,
      signals: requests.signals,
      locks: this.locking.tickets,
      failureTask: this.failure.task,
      hasSecrets: this.hasSecrets,
      journal: journal.whole,
      journalSeq: journal.seq,
      reports: requests.reports,
      index:
        standing.outcome === null
          ? this.index.finish(runs, this.progress.finish(startsActions(standing)))
          : null,
    };
    next.wakeAt = wakeTime(next);
    invariant(next.wakeAt !== Infinity, `task ${base.plan.taskId} would be stuck`);
    return next;
  }
}
