import type { Action } from '../flow/action.js';
import { invariant } from '../assert.js';
import { copyRun, type Draft } from '../task/action-run.js';
import { actionOf, runOf } from '../scopes/dispatch.js';
import type { ActionRef, Moment } from '../task/event.js';
import { FailureChange } from './failure-change.js';
import { type JournalEntry, type JournalKind, type Remark } from '../task/journal.js';
import { orderTime } from '../task/order-time.js';
import { scopeAt, stepAt, wantsAction } from '../scopes/step-at.js';
import { lookAgainAt } from '../task/retry-delay.js';
import { runIdOf } from '../scopes/run-id.js';
import { ownScopes, putScope } from '../scopes/scope-index.js';
import type { Scope } from '../task/scope.js';
import type { EarlySignal } from '../task/signals.js';
import { assertMove } from '../task/states.js';
import { maySend, type Pause, startsActions } from '../task/status.js';
import { followRuns, ownRuns } from '../scopes/marked-steps.js';
import { TallyChange } from './tally-change.js';
import { tallyIn } from '../scopes/tally.js';
import type { ActionRun, DoneAction, Edit, RunState, StepRuns, Task, TaskPlan } from '../task/task.js';
import { wakeTime } from '../scopes/wake.js';

const NO_REMARK: Remark = Object.freeze({});

/**
 * A task on its way to its next document: events write here, the task read from the store stays as
 * it was. Only `transition.ts` and the files in `transitions/` use it; it lives no longer than one
 * transition.
 */
export class Change extends FailureChange {
  cursor: number;
  token: number;
  alertStep: number | null;
  edits: readonly Edit[];
  doneActions: readonly DoneAction[];
  signals: readonly EarlySignal[];
  alert: ActionRun | null;
  readonly entries: JournalEntry[] = [];
  /** Actions that were queued, in this order. */
  readonly queued: ActionRef[] = [];
  /** Steps of which must be known what their templates come to. */
  readonly asked: ActionRef[] = [];
  readonly tally: TallyChange;
  private runsCopy: StepRuns[] | null = null;
  private scopesCopy: Scope[] | null = null;
  private isFinished = false;

  constructor(
    readonly base: Task,
    readonly moment: Moment,
  ) {
    super(base, moment.now);
    this.cursor = base.cursor;
    this.token = base.token;
    this.alert = base.alert;
    this.alertStep = base.alertStep;
    this.edits = base.edits;
    this.doneActions = base.doneActions;
    this.signals = base.signals;
    this.tally = new TallyChange(tallyIn(base));
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
    if (ref.direction === 'alert') {
      this.alert = next;
      return;
    }
    const own = (this.runsCopy ??= ownRuns(this.base.runs));
    const runs = own[ref.step];
    invariant(runs !== undefined, `there is no step ${ref.step}`);
    own[ref.step] =
      ref.direction === 'normal'
        ? { generation: runs.generation, normal: next, rollback: runs.rollback }
        : { generation: runs.generation, normal: runs.normal, rollback: next };
    followRuns(this, ref.step);
    this.tally.touch(ref.step);
  }

  /** Replaces both halves of a step. Messages queued for the former runs are dropped. */
  putBoth(step: number, next: StepRuns): void {
    (this.runsCopy ??= ownRuns(this.base.runs))[step] = next;
    followRuns(this, step);
    this.tally.touch(step);
    for (let n = this.queued.length - 1; n >= 0; n -= 1) {
      const ref = this.queued[n];
      if (ref?.step === step && ref.direction !== 'alert') this.queued.splice(n, 1);
    }
  }

  /** Puts the fresh runs of a scope's steps in their places. */
  putBlock(first: number, runs: readonly StepRuns[]): void {
    for (const [n, fresh] of runs.entries()) this.putBoth(first + n, fresh);
  }

  /** Puts a scope in its place, the last one or one that is there. */
  putScope(scope: number, next: Scope): void {
    putScope((this.scopesCopy ??= ownScopes(this.base.scopes)), scope, next);
  }

  /** Ends an action's run for good, or until a person acts. */
  end(ref: ActionRef, run: ActionRun, state: RunState): Draft<ActionRun> {
    const next = this.edit(ref, run, state);
    next.lease = null;
    next.dueAt = null;
    next.orderAt = null;
    next.endedAt = this.now;
    next.look = 'none';
    if (ref.direction !== 'alert') this.tally.end(scopeAt(this, ref.step), ref, state);
    return next;
  }

  /** The order time of what the task's own progress queues now. */
  get orderNow(): number {
    return orderTime(this.now, this.base.plan.priority);
  }

  /** Queues an action, asks for its next attempt and puts it in line by its order time. */
  queue(ref: ActionRef, run: ActionRun, orderAt: number): Draft<ActionRun> {
    const next = this.edit(ref, run, 'queued');
    next.lease = null;
    next.dispatches = 1;
    next.orderAt = orderAt;
    next.dueAt = this.now + this.moment.timing.redispatchAfterMs;
    this.enqueue(ref);
    return next;
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
    if (maySend(this, direction)) this.queued.push({ direction, step });
  }

  /** Takes a queued action back that nobody has started. */
  recall(ref: ActionRef, run: ActionRun): void {
    const next = this.edit(ref, run, 'pending');
    next.dueAt = null;
    next.orderAt = null;
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

  note(kind: JournalKind, remark: Remark = NO_REMARK): void {
    this.add({ seq: this.nextSeq, at: this.now, kind }, remark);
  }

  /** A fact about one action. */
  noteRun(kind: JournalKind, ref: ActionRef, remark: Remark = NO_REMARK): void {
    const step = stepAt(this, ref.step)?.name ?? '';
    const attempt = this.run(ref)?.attempts ?? 0;
    const { nextSeq: seq, now: at } = this;
    const entry: Draft<JournalEntry> = { seq, at, kind, step, direction: ref.direction, attempt };
    const isOwn = this.scopes.length === 0 || ref.step < this.plan.steps.length;
    if (!isOwn || (this.runs[ref.step]?.generation ?? 1) > 1) entry.run = runIdOf(this, ref.step);
    this.add(entry, remark);
  }

  /** Members that are there are added one by one: the engine makes a spread anew each time. */
  private add(entry: Draft<JournalEntry>, remark: Remark): void {
    const { actor, code, dueAt, intended, message, refused, stack, unapproved } = remark;
    if (actor !== undefined) entry.actor = actor;
    if (message !== undefined) entry.message = message;
    if (code !== undefined) entry.code = code;
    if (stack !== undefined) entry.stack = stack;
    if (intended === true) entry.intended = true;
    if (dueAt !== undefined) entry.dueAt = dueAt;
    if (refused === true) entry.refused = true;
    if (unapproved === true) entry.unapproved = true;
    this.entries.push(entry);
  }

  private get nextSeq(): number {
    return this.base.journalSeq + this.entries.length + 1;
  }

  override endHold(): void {
    super.endHold();
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

  override pause(paused: Pause | null): void {
    super.pause(paused);
    if (paused === null) this.catchUp();
  }

  /** All that ended while the task was on hold or paused is followed, in every scope. */
  private catchUp(): void {
    for (let scope = 0; scope < this.scopes.length; scope += 1) this.tally.lookAt(scope);
  }

  /** The next document, one revision after the base however many events went into it. Once. */
  finish(): Task {
    invariant(!this.isFinished, 'a change makes one document');
    this.isFinished = true;
    this.letGo();
    const { base } = this;
    const next = {
      plan: base.plan,
      revision: base.revision + 1,
      status: this.status,
      way: this.way,
      turned: this.turned,
      hold: this.hold,
      paused: this.paused,
      outcome: this.outcome,
      message: this.message,
      cursor: this.cursor,
      startedAt: this.startedAt,
      endedAt: this.endedAt,
      resetAt: this.resetAt,
      edits: this.edits,
      wakeAt: null as number | null,
      token: this.token,
      runs: this.runs,
      scopes: this.scopes,
      alert: this.alert,
      alertStep: this.alertStep,
      doneActions: this.doneActions,
      signals: this.signals,
      locks: this.locks,
      failureTask: this.failureTask,
      hasSecrets: this.hasSecrets,
      journal: base.journal.with(this.entries),
      journalSeq: base.journalSeq + this.entries.length,
      tally: this.outcome === null ? this.tally.finish(this.runs, startsActions(this)) : null,
    };
    next.wakeAt = wakeTime(next, this.moment.timing.alertRepeatMs);
    invariant(next.wakeAt !== Infinity, `task ${base.plan.taskId} would be stuck`);
    return next;
  }
}
