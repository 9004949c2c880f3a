import { invariant } from './assert.js';
import { copyRun, type Draft } from './action-run.js';
import { actionOf, dispatchFor } from './dispatch.js';
import type { ActionRef, Moment } from './event.js';
import type { Action } from './flow.js';
import { JOURNAL_MAX, type JournalEntry, type JournalKind } from './journal.js';
import type { Dispatch } from './message.js';
import { redispatchDelay } from './retry-delay.js';
import { assertMove, assertTaskMove } from './states.js';
import { isFinal, TASK_STATUS, type TaskStatus } from './status.js';
import type { ActionRun, DoneAction, RunState, StepRuns, Task } from './task.js';
import { wakeTime } from './wake.js';

/** What a journal entry may say besides what happened. */
export interface Remark {
  /** Executor process or person that caused it. */
  readonly actor?: string | undefined;
  readonly message?: string | undefined;
}

const NO_REMARK: Remark = Object.freeze({});

/**
 * A task on its way to its next document: events write here, the task read from the store stays as
 * it was. Only `transition.ts` and the files in `transitions/` use it; it lives no longer than one
 * transition.
 */
export class Change {
  readonly now: number;
  status: TaskStatus;
  message: string | null;
  cursor: number;
  token: number;
  alertStep: number | null;
  doneActions: readonly DoneAction[];
  alert: ActionRun | null;
  readonly entries: JournalEntry[] = [];
  /** Actions whose messages are to be sent, unless they are claimed before the change ends. */
  readonly queued: ActionRef[] = [];
  private runsCopy: StepRuns[] | null = null;
  private startedAt: number | null;
  private endedAt: number | null;

  constructor(
    readonly base: Task,
    readonly moment: Moment,
  ) {
    this.now = moment.now;
    this.status = base.status;
    this.message = base.message;
    this.cursor = base.cursor;
    this.token = base.token;
    this.alert = base.alert;
    this.alertStep = base.alertStep;
    this.doneActions = base.doneActions;
    this.startedAt = base.startedAt;
    this.endedAt = base.endedAt;
  }

  get runs(): readonly StepRuns[] {
    return this.runsCopy ?? this.base.runs;
  }

  /** The run of an action, or null where there is no such action. */
  run(ref: ActionRef): ActionRun | null {
    if (ref.direction === 'alert') return ref.step === this.alertStep ? this.alert : null;
    const runs = this.runs[ref.step];
    return (ref.direction === 'normal' ? runs?.normal : runs?.rollback) ?? null;
  }

  action(ref: ActionRef): Action {
    const action = actionOf(this.base.plan, ref);
    invariant(action !== undefined, `step ${ref.step} has no ${ref.direction} action`);
    return action;
  }

  /** Whether the task still wants this action: the way it belongs to is the way the task goes. */
  wants(ref: ActionRef): boolean {
    const { status } = this;
    if (ref.direction === 'normal') return status <= TASK_STATUS.running && !isFinal(status);
    if (ref.direction === 'alert') return status === TASK_STATUS.rollback_failed;
    return status === TASK_STATUS.rolling_back || status === TASK_STATUS.rollback_failed;
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
    this.runsCopy ??= [...this.base.runs];
    const runs = this.runsCopy[ref.step];
    invariant(runs !== undefined, `there is no step ${ref.step}`);
    this.runsCopy[ref.step] =
      ref.direction === 'normal'
        ? { normal: next, rollback: runs.rollback }
        : { normal: runs.normal, rollback: next };
  }

  /** Ends an action's run for good, or until a person acts. */
  end(ref: ActionRef, run: ActionRun, state: RunState): Draft<ActionRun> {
    const next = this.edit(ref, run, state);
    next.lease = null;
    next.dueAt = null;
    next.endedAt = this.now;
    next.look = 'none';
    return next;
  }

  /** Queues an action and asks for its next attempt. */
  queue(ref: ActionRef, run: ActionRun): Draft<ActionRun> {
    const next = this.edit(ref, run, 'queued');
    next.lease = null;
    next.dispatches = 1;
    next.dueAt = this.now + this.moment.timing.redispatchAfterMs;
    this.enqueue(ref);
    return next;
  }

  private enqueue({ direction, step }: ActionRef): void {
    // Events pass themselves as references; only the reference may leave.
    this.queued.push({ direction, step });
  }

  /** Takes a queued action back that nobody has started. */
  recall(ref: ActionRef, run: ActionRun): void {
    const next = this.edit(ref, run, 'pending');
    next.dueAt = null;
    next.dispatches = 0;
  }

  /** Sends the message of a queued action once more and looks again after a longer wait. */
  sendAgain(ref: ActionRef, run: ActionRun): void {
    const { redispatchAfterMs, redispatchMaxMs } = this.moment.timing;
    const next = this.edit(ref, run, 'queued');
    next.dispatches += 1;
    next.dueAt = this.now + redispatchDelay(redispatchAfterMs, redispatchMaxMs, next.dispatches);
    this.enqueue(ref);
  }

  /** Looks again at a queued action whose message is probably just waiting in a long queue. */
  putOff(ref: ActionRef, run: ActionRun, waitMs: number): void {
    this.edit(ref, run, 'queued').dueAt = this.now + waitMs;
  }

  /** The messages that ask for what was queued and not claimed in this very change. */
  dispatches(): readonly Dispatch[] {
    const { plan } = this.base;
    return this.queued.flatMap((ref) => {
      const run = this.run(ref);
      return run?.state === 'queued' ? [dispatchFor(plan, ref, run)] : [];
    });
  }

  note(kind: JournalKind, remark: Remark = NO_REMARK): void {
    this.add({ seq: this.nextSeq, at: this.now, kind }, remark);
  }

  /** A fact about one action. */
  noteRun(kind: JournalKind, ref: ActionRef, remark: Remark = NO_REMARK): void {
    const { direction } = ref;
    const step = this.base.plan.steps[ref.step]?.name ?? '';
    const attempt = this.run(ref)?.attempts ?? 0;
    const { nextSeq: seq, now: at } = this;
    this.add({ seq, at, kind, step, direction, attempt }, remark);
  }

  /** Members that are there are added one by one: the engine makes a spread anew each time. */
  private add(entry: Draft<JournalEntry>, { actor, message }: Remark): void {
    if (actor !== undefined) entry.actor = actor;
    if (message !== undefined) entry.message = message;
    this.entries.push(entry);
  }

  private get nextSeq(): number {
    return this.base.journalSeq + this.entries.length + 1;
  }

  setStatus(status: TaskStatus): void {
    assertTaskMove(this.status, status);
    this.status = status;
    if (status === TASK_STATUS.running) this.startedAt ??= this.now;
    if (isFinal(status)) this.endedAt = this.now;
  }

  /** The next document. Its revision is one above the base's, however many events went into it. */
  finish(): Task {
    const { base } = this;
    const next = {
      plan: base.plan,
      revision: base.revision + 1,
      status: this.status,
      message: this.message,
      cursor: this.cursor,
      startedAt: this.startedAt,
      endedAt: this.endedAt,
      wakeAt: null as number | null,
      token: this.token,
      runs: this.runs,
      alert: this.alert,
      alertStep: this.alertStep,
      doneActions: this.doneActions,
      journal: appendEntries(base.journal, this.entries),
      journalSeq: base.journalSeq + this.entries.length,
    };
    next.wakeAt = wakeTime(next, this.moment.timing.alertRepeatMs);
    invariant(next.wakeAt !== Infinity, `task ${base.plan.taskId} would be stuck`);
    return next;
  }
}

function appendEntries(
  journal: readonly JournalEntry[],
  added: readonly JournalEntry[],
): readonly JournalEntry[] {
  if (added.length === 0) return journal;
  const all = journal.concat(added);
  return all.length > JOURNAL_MAX ? all.slice(-JOURNAL_MAX) : all;
}
