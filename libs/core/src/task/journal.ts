import type { FailureName } from './failure.js';

/** The kinds of entries in a task's journal: one word for each thing that can happen. */
export const JOURNAL_KINDS = [
  'created',
  'started',
  'succeeded',
  'failed',
  'retry_scheduled',
  'not_finished',
  'timed_out',
  'lease_lost',
  'restart_scheduled',
  'handed_back',
  'dispatched_again',
  'turned_back',
  'called_off',
  'caught',
  'passed_over',
  'signal_received',
  'waits_for_locks',
  'locks_taken',
  'failure_flow_started',
  'failure_flow_refused',
  'approved',
  'rejected',
  'alert_raised',
  'rollback_requested',
  'terminate_requested',
  'retry_requested',
  'skip_requested',
  'pause_requested',
  'resume_requested',
  'reset_requested',
  'undo_requested',
  'forward_again',
  'task_succeeded',
  'task_rolled_back',
  'task_rollback_failed',
  'task_on_hold',
  'task_terminated',
  'reported_late',
  'alert_started',
] as const;

/** The kind of an entry in a task's journal. */
export type JournalKind = (typeof JOURNAL_KINDS)[number];

/** Which half of a step something is about. */
export type Direction = 'normal' | 'rollback';

/** Something that lives outside of Backstep, as the author of a command names it. */
export interface Resource {
  readonly type: string;
  readonly id: string;
}

/**
 * One fact about a task: who, what, when, which attempt. Observers receive the same entries after
 * the commit that stored them. Entries inform people and programs outside; no decision reads them.
 */
export interface JournalEntry {
  /**
   * Position in the task's history: 1, 2, 3 ... Where a number is missing, entries were left out of
   * a journal that grew too long.
   */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: JournalKind;
  /** Name of the step it is about. */
  readonly step?: string;
  /** Id of that step's run, where it is not the step's name. */
  readonly run?: string;
  readonly direction?: Direction;
  readonly attempt?: number;
  /** Executor process or person that caused it. */
  readonly actor?: string;
  /** The words of an executor or a person; sentences about other members are made where shown. */
  readonly message?: string;
  /** Of a failed attempt: the kind of failure. */
  readonly code?: FailureName;
  /** Of a failed attempt: the stack trace of its error. Texts of an executor, as `message` is. */
  readonly stack?: string;
  /** Of a failed attempt: its command threw the error on purpose, and no other error caused it. */
  readonly intended?: true;
  /**
   * When what was put off is to happen, milliseconds since 1970: a retry, an alert held back, the
   * end of a hold.
   */
  readonly dueAt?: number;
  /** Of a failed attempt: it had no effect, so there is nothing to undo. */
  readonly refused?: true;
  /** Of a skip: the step asks people, or holds one that does, and it is done without their yes. */
  readonly unapproved?: true;
  /** Of a start by a worker: the build of its code. */
  readonly build?: string;
  /** Of an outcome of a worker: what its command has made, and what it has removed. */
  readonly creates?: readonly Resource[];
  readonly released?: readonly Resource[];
}

/** Details that a journal entry may have besides its kind. */
export interface Remark {
  /** Executor process or person that caused it. */
  readonly actor?: string | undefined;
  readonly message?: string | undefined;
  readonly code?: FailureName | undefined;
  readonly stack?: string | undefined;
  readonly intended?: true | undefined;
  readonly dueAt?: number | undefined;
  /** The attempt was refused before its command was entered. */
  readonly refused?: boolean | undefined;
  /** The step is done without the yes of people whom it asks. */
  readonly unapproved?: boolean | undefined;
  readonly build?: string | undefined;
  readonly creates?: readonly Resource[] | undefined;
  readonly released?: readonly Resource[] | undefined;
}

/** Most entries a task keeps. */
export const JOURNAL_MAX = 1_000;

/** The first entries, which are never left out: who created the task, and how it began. */
const JOURNAL_FIRST = 100;

/** Entries of a `LASTING` kind that are kept beside the first and the newest: the oldest ones. */
const LASTING_FIRST = 100;
/** The same: the newest ones. */
const LASTING_NEWEST = 150;

/** The newest entries that stay when a full journal is thinned. */
const JOURNAL_NEWEST = 400;

/**
 * Entries about actions of persons and about turns of the task. They are kept longer than entries
 * about what Backstep did by itself.
 */
const LASTING: ReadonlySet<JournalKind> = new Set<JournalKind>([
  'rollback_requested',
  'terminate_requested',
  'retry_requested',
  'skip_requested',
  'pause_requested',
  'resume_requested',
  'reset_requested',
  'undo_requested',
  'turned_back',
  'forward_again',
  'task_on_hold',
  'caught',
  'approved',
  'rejected',
]);

/** How many entries of a journal are copied at most where some are added. */
const STRETCH = 64;

/**
 * The entries of a task, the oldest first. It never changes: adding entries makes another journal,
 * which shares the older ones, so that an event of a long task costs no more than one of a short.
 */
export class Journal implements Iterable<JournalEntry> {
  /** The journal with these entries. */
  static of(entries: readonly JournalEntry[]): Journal {
    const whole = entries.length - (entries.length % STRETCH);
    return new Journal(entries.slice(0, whole), entries.slice(whole));
  }

  /**
   * The journal of a list that anybody may have written, whose entries are not looked at; null: it
   * is no list.
   */
  static ofAny(list: unknown): Journal | null {
    return Array.isArray(list) ? Journal.of(list) : null;
  }

  private constructor(
    /** Whole stretches: two journals with the same entries are alike in this, too. */
    private readonly older: readonly JournalEntry[],
    private readonly newest: readonly JournalEntry[],
  ) {}

  get length(): number {
    return this.older.length + this.newest.length;
  }

  /** The entry at a position, from the end where that is negative; undefined: there is none. */
  at(position: number): JournalEntry | undefined {
    const from = position < 0 ? this.length + position : position;
    const { length } = this.older;
    return from < length ? this.older[from] : this.newest[from - length];
  }

  /** All entries. */
  entries(): readonly JournalEntry[] {
    return this.older.length === 0 ? this.newest : this.older.concat(this.newest);
  }

  /** The newest entry that fits; undefined: none does. */
  findLast(fits: (entry: JournalEntry) => boolean): JournalEntry | undefined {
    return this.newest.findLast(fits) ?? this.older.findLast(fits);
  }

  /** Entries with a greater number, of which there mostly are few. */
  after(seq: number): readonly JournalEntry[] {
    const first = this.newest[0];
    const isAmongNewest = first !== undefined && first.seq <= seq;
    return newerThan(isAmongNewest ? this.newest : this.entries(), seq);
  }

  /**
   * The journal with new entries at its end. Above `JOURNAL_MAX` it is thinned in the middle: the
   * first 100 entries stay, the newest 400, and of those between the lasting ones (the oldest 100
   * and the newest 150). At most 750 are left, so thinning is rare and an entry costs the same on
   * average.
   */
  with(added: readonly JournalEntry[]): Journal {
    if (added.length === 0) return this;
    if (this.length + added.length > JOURNAL_MAX) {
      return Journal.of(thinned(this.entries().concat(added)));
    }
    const newest = this.newest.concat(added);
    if (newest.length < STRETCH) return new Journal(this.older, newest);
    return Journal.of(this.older.concat(newest));
  }

  [Symbol.iterator](): Iterator<JournalEntry> {
    return this.entries()[Symbol.iterator]();
  }

  /** As JSON it is the list of its entries. */
  toJSON(): readonly JournalEntry[] {
    return this.entries();
  }
}

/** The last of these entries, those with a greater number. */
function newerThan(entries: readonly JournalEntry[], seq: number): readonly JournalEntry[] {
  let from = entries.length;
  while (from > 0 && (entries[from - 1] as JournalEntry).seq > seq) from -= 1;
  return from === 0 ? entries : entries.slice(from);
}

function thinned(all: readonly JournalEntry[]): readonly JournalEntry[] {
  const newestFrom = all.length - JOURNAL_NEWEST;
  const lasting = all.slice(JOURNAL_FIRST, newestFrom).filter(({ kind }) => LASTING.has(kind));
  if (lasting.length > LASTING_FIRST + LASTING_NEWEST) {
    lasting.splice(LASTING_FIRST, lasting.length - LASTING_FIRST - LASTING_NEWEST);
  }
  return all.slice(0, JOURNAL_FIRST).concat(lasting, all.slice(newestFrom));
}
