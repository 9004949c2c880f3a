import type { JsonObject } from '../json/json.js';
import { isLockWanted } from '../locks/lock.js';
import type { Draft } from '../task/action-run.js';
import type { Moment } from '../task/event.js';
import type { Direction, Journal, JournalEntry, JournalKind, Remark } from '../task/journal.js';
import { type LockTicket, NO_LOCKS } from '../task/lock-ticket.js';
import { DEPTH_MAX } from '../task/parent.js';
import { lookAgainAt } from '../task/retry-delay.js';
import type { EarlySignal } from '../task/signals.js';
import type { TaskOutcome } from '../task/status.js';
import type { DoneAction, Edit, FailureTask, Task } from '../task/task.js';
import { type KnownReport, REPORTS_MAX } from '../task/worker-report.js';

/** The action that an entry is about. */
interface Subject {
  readonly step: string;
  readonly direction: Direction;
  readonly attempt: number;
  /** Null: the name of the step says it. */
  readonly run: string | null;
}

/** The state of a task's failure flow, on its way to the next document of the task. */
export class FailureChange {
  task: FailureTask | null;

  constructor(
    private readonly base: Task,
    private readonly moment: Moment,
  ) {
    this.task = base.failureTask;
  }

  /** The task ends: unless it succeeded, its failure flow is started, once in its life. */
  endTask(outcome: TaskOutcome): void {
    if (outcome === 'succeeded' || this.base.plan.failureFlow === null) return;
    if (this.task === null || this.task.dueAt !== null) this.ask(1);
  }

  /** Has the engine start the failure flow, now and, should that be lost, after a while. */
  ask(looks: number): void {
    const { moment } = this;
    const isTooDeep = (this.base.plan.parent?.depth ?? 0) >= DEPTH_MAX;
    this.task = isTooDeep
      ? { taskId: null, message: TOO_DEEP, looks, dueAt: null }
      : {
          taskId: null,
          message: null,
          looks,
          dueAt: lookAgainAt({ moment, now: moment.now }, looks),
        };
  }
}

const TOO_DEEP = `tasks are nested at most ${DEPTH_MAX} deep`;

/** The locks that a task holds or waits for, on its way to its next document. */
export class LockChange {
  tickets: readonly LockTicket[];
  /** Some are waited for, and the engine is to look after these. */
  isWaiting = false;
  /** Tickets that are no longer wanted. */
  freed: readonly LockTicket[] = NO_LOCKS;

  constructor({ locks, outcome }: Task) {
    // A build that knows of no locks may have ended it.
    this.tickets = outcome === null ? locks : NO_LOCKS;
  }

  /** Puts a ticket in its place, or as the last one. */
  put(next: LockTicket): void {
    const others = this.tickets.filter(({ number }) => number !== next.number);
    this.tickets = [...others, next];
  }

  /** Puts a ticket whose locks are waited for, and has the engine look after these. */
  waitFor(next: LockTicket): void {
    this.put(next);
    this.isWaiting = true;
  }

  /** Lets go of the locks that the task, as it stands now, wants no more. */
  letGo(task: Parameters<typeof isLockWanted>[0]): void {
    if (this.tickets.length === 0) return;
    const kept = this.tickets.filter((ticket) => isLockWanted(task, ticket));
    if (kept.length === this.tickets.length) return;
    this.freed = this.tickets.filter((ticket) => !kept.includes(ticket));
    this.tickets = kept.length === 0 ? NO_LOCKS : kept;
  }
}

/** The parts of a task that requests from outside leave in it, on its way to the next document. */
export class RequestChange {
  doneActions: readonly DoneAction[];
  edits: readonly Edit[];
  reports: readonly KnownReport[];
  signals: readonly EarlySignal[];

  constructor({ doneActions, edits, reports, signals }: Task) {
    this.doneActions = doneActions;
    this.edits = edits;
    this.reports = reports;
    this.signals = signals;
  }

  /** Takes the oldest early signal of this name; null: none has come. */
  takeSignal(name: string): JsonObject | null {
    const at = this.signals.findIndex((signal) => signal.name === name);
    const found = this.signals[at];
    if (found === undefined) return null;
    this.signals = this.signals.toSpliced(at, 1);
    return found.payload;
  }

  /** Remembers what a worker told, and forgets the oldest report where there are many. */
  keep(report: KnownReport): void {
    const all = [...this.reports, report];
    this.reports = all.length > REPORTS_MAX ? all.slice(1) : all;
  }
}

/** The entries that a change adds to the journal of its task. */
export class JournalChange {
  readonly entries: JournalEntry[] = [];

  constructor(
    private readonly base: Pick<Task, 'journal' | 'journalSeq'>,
    private readonly now: number,
  ) {}

  /** `seq` of the last entry by now. */
  get seq(): number {
    return this.base.journalSeq + this.entries.length;
  }

  /** The journal of the next document. */
  get whole(): Journal {
    return this.base.journal.with(this.entries);
  }

  /** Adds a fact; `subject` null: about the task. Written out: a spread is made at each call. */
  add(kind: JournalKind, remark: Remark, subject: Subject | null): void {
    const entry: Draft<JournalEntry> = { seq: this.seq + 1, at: this.now, kind };
    if (subject !== null) {
      entry.step = subject.step;
      entry.direction = subject.direction;
      entry.attempt = subject.attempt;
      if (subject.run !== null) entry.run = subject.run;
    }
    const { actor, code, dueAt, intended, message, refused, stack, unapproved } = remark;
    if (actor !== undefined) entry.actor = actor;
    if (message !== undefined) entry.message = message;
    if (code !== undefined) entry.code = code;
    if (stack !== undefined) entry.stack = stack;
    if (intended === true) entry.intended = true;
    if (dueAt !== undefined) entry.dueAt = dueAt;
    if (refused === true) entry.refused = true;
    if (unapproved === true) entry.unapproved = true;
    const { build, creates, released } = remark;
    if (build !== undefined) entry.build = build;
    if (creates !== undefined) entry.creates = creates;
    if (released !== undefined) entry.released = released;
    this.entries.push(entry);
  }
}
