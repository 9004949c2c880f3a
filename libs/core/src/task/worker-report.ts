import type { TaskStatus } from './status.js';

/** Why a worker had no right to an attempt any more when it told the outcome. */
export const LOST_REASONS = [
  'timed_out',
  'rolled_back',
  'terminated',
  'superseded',
  'handed_back',
] as const;

/** See `LOST_REASONS`. */
export type LostReason = (typeof LOST_REASONS)[number];

/** The outcome of a worker's claim as its task remembers it. */
export interface KnownReport {
  /** Of the claim. */
  readonly token: number;
  /** Tells this outcome from others. */
  readonly hash: string;
  /** Of the task, right after it. */
  readonly status: TaskStatus;
  /** It came too late, and changed nothing; absent: it counted. */
  readonly late?: LostReason;
}

/** Reports that a task remembers: the newest. */
export const REPORTS_MAX = 50;

/** Of a task without reports. One list for all of them. */
export const NO_REPORTS: readonly KnownReport[] = Object.freeze([]);
