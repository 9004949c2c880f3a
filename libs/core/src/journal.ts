import type { FailureName } from './failure.js';

/** The kinds of entries in a task's journal: one word for each thing that can happen. */
export type JournalKind =
  | 'created'
  | 'started'
  | 'succeeded'
  | 'failed'
  | 'retry_scheduled'
  | 'not_finished'
  | 'timed_out'
  | 'lease_lost'
  | 'restart_scheduled'
  | 'handed_back'
  | 'dispatched_again'
  | 'turned_back'
  | 'called_off'
  | 'caught'
  | 'passed_over'
  | 'signal_received'
  | 'waits_for_locks'
  | 'locks_taken'
  | 'failure_flow_started'
  | 'failure_flow_refused'
  | 'approved'
  | 'rejected'
  | 'alert_raised'
  | 'rollback_requested'
  | 'terminate_requested'
  | 'retry_requested'
  | 'skip_requested'
  | 'pause_requested'
  | 'resume_requested'
  | 'reset_requested'
  | 'undo_requested'
  | 'forward_again'
  | 'task_succeeded'
  | 'task_rolled_back'
  | 'task_rollback_failed'
  | 'task_on_hold'
  | 'task_terminated';

/** Which half of a step, or the task's own alert, something is about. */
export type Direction = 'normal' | 'rollback' | 'alert';

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
  /**
   * When what was put off is to happen, milliseconds since 1970: a retry, an alert held back, the
   * end of a hold.
   */
  readonly dueAt?: number;
  /** Of a failed attempt: refused before its command was entered, so there is nothing to undo. */
  readonly refused?: true;
}

/** Details that a journal entry may have besides its kind. */
export interface Remark {
  /** Executor process or person that caused it. */
  readonly actor?: string | undefined;
  readonly message?: string | undefined;
  readonly code?: FailureName | undefined;
  readonly dueAt?: number | undefined;
  /** The attempt was refused before its command was entered. */
  readonly refused?: boolean | undefined;
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

/**
 * A journal with new entries at its end. Above `JOURNAL_MAX` it is thinned in the middle: the
 * first 100 entries stay, the newest 400, and of those between the lasting ones (the oldest 100 and
 * the newest 150). At most 750 are left, so thinning is rare and an entry costs the same on
 * average.
 */
export function appendEntries(
  journal: readonly JournalEntry[],
  added: readonly JournalEntry[],
): readonly JournalEntry[] {
  if (added.length === 0) return journal;
  const all = journal.concat(added);
  return all.length > JOURNAL_MAX ? thinned(all) : all;
}

function thinned(all: readonly JournalEntry[]): readonly JournalEntry[] {
  const newestFrom = all.length - JOURNAL_NEWEST;
  const lasting = all.slice(JOURNAL_FIRST, newestFrom).filter(({ kind }) => LASTING.has(kind));
  if (lasting.length > LASTING_FIRST + LASTING_NEWEST) {
    lasting.splice(LASTING_FIRST, lasting.length - LASTING_FIRST - LASTING_NEWEST);
  }
  return all.slice(0, JOURNAL_FIRST).concat(lasting, all.slice(newestFrom));
}
