/** What can be read in a task's journal. One word per thing that can happen. */
export type JournalKind =
  | 'created'
  | 'started'
  | 'succeeded'
  | 'failed'
  | 'retry_scheduled'
  | 'not_finished'
  | 'timed_out'
  | 'lease_lost'
  | 'handed_back'
  | 'dispatched_again'
  | 'turned_back'
  | 'called_off'
  | 'alert_raised'
  | 'rollback_requested'
  | 'terminate_requested'
  | 'retry_requested'
  | 'skip_requested'
  | 'task_succeeded'
  | 'task_rolled_back'
  | 'task_rollback_failed'
  | 'task_terminated';

/** Which half of a step, or the task's own alert, something is about. */
export type Direction = 'normal' | 'rollback' | 'alert';

/**
 * One fact about a task: who, what, when, which attempt. Observers receive the same entries after
 * the commit that stored them. Entries inform people; no decision reads them.
 */
export interface JournalEntry {
  /**
   * Position in the task's history: 1, 2, 3 ... without gaps, also when old entries were dropped.
   */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: JournalKind;
  /** Name of the step it is about. */
  readonly step?: string;
  readonly direction?: Direction;
  readonly attempt?: number;
  /** Executor process or person that caused it. */
  readonly actor?: string;
  readonly message?: string;
}

/** Most entries a task keeps; the oldest are dropped first. */
export const JOURNAL_MAX = 1_000;
