import type { LockPlan } from '../flow/lock-plan.js';

/** A lock whose name is known. */
export type NamedLock = LockPlan;

/**
 * The request of a task, or of a step of it, for locks. It first has a place in the line of each
 * lock; once all of these are at the head, it holds the locks. Kept for as long as the locks are
 * wanted.
 */
export interface LockTicket {
  /** Unique in the task for ever. */
  readonly number: number;
  /** Place of the step that asks; null: the task itself. */
  readonly step: number | null;
  /** Id of the run of that step; null: the task itself. */
  readonly run: string | null;
  /** By their names; null: they are not worked out so far. */
  readonly locks: readonly NamedLock[] | null;
  /** When it was asked for, milliseconds since 1970. */
  readonly since: number;
  /** When the last of them was had, milliseconds since 1970; null: it is waited for. */
  readonly heldAt: number | null;
  /** Looks without any news since then. */
  readonly looks: number;
  /** When the engine looks again, milliseconds since 1970; null: it is held. */
  readonly dueAt: number | null;
}

/** Tickets in the line of one lock that are listed at most: the first. */
export const LINE_MAX = 2_000;

/** The tickets of a task without locks: one object shared by all such tasks. */
export const NO_LOCKS: readonly LockTicket[] = Object.freeze([]);
