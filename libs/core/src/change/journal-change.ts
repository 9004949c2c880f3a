import type { Draft } from '../task/action-run.js';
import type { Direction, Journal, JournalEntry, JournalKind, Remark } from '../task/journal.js';
import type { Task } from '../task/task.js';

/** The action that an entry is about. */
interface Subject {
  readonly step: string;
  readonly direction: Direction;
  readonly attempt: number;
  /** Null: the name of the step says it. */
  readonly run: string | null;
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
