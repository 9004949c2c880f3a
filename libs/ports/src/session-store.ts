import type { Task } from '#core';

/** The facts that a process tells of itself when it begins a session. */
export interface SessionOrigin {
  /**
   * Where its process runs and which one it is there: only a process at the same place can tell
   * whether it has ended. Absent: not known.
   */
  readonly home?: string;
  /** It looks for due tasks, as gateways do. Absent: it does not. */
  readonly governs?: true;
}

/** One life of one process, as it is kept. */
export interface SessionRecord extends SessionOrigin {
  /** The name that its leases are owned by. */
  readonly session: string;
  /** Grows with every renewal; `NO_BEAT`: what is kept cannot be read. */
  readonly beat: number;
  /** A session that was not renewed for so long may be ended, in milliseconds. */
  readonly leaseMs: number;
  /** It has ended, and never lives again. */
  readonly isOver: boolean;
}

/**
 * The beat of a session that cannot be read. Its process writes it again with its next renewal;
 * where that has ended, nothing changes for a lease, as with every other session.
 */
export const NO_BEAT = -1;

/** Whether a session goes on; `ended`: it never lives again under that name. */
export type SessionState = 'alive' | 'ended';

/**
 * Some of the tasks that a session holds; `next` leads to those behind them, null: there are none.
 */
export interface HeldPage {
  readonly tasks: readonly Task[];
  readonly next: string | null;
}

/** Where a page of held tasks begins and how many it may have. */
export interface HeldQuery {
  /** `next` of the page before. */
  readonly after?: string | undefined;
  /** At least 1. */
  readonly limit: number;
}

/**
 * Which processes live. A process renews one record, whatever it runs, and whoever sees no renewal
 * for a lease may end it. Renewals wait for no other write. Every method may throw
 * `StoreUnavailable`, which says nothing about whether a write took effect.
 */
export interface SessionStore {
  /**
   * Begins a session. A repetition is harmless; one that has ended stays so, and its next renewal
   * says it.
   */
  openSession(session: string, leaseMs: number, origin?: SessionOrigin): Promise<void>;
  /** Renews a session; `ended` also for one that nobody began. */
  renewSession(session: string): Promise<SessionState>;
  /**
   * Ends a session if its beat is still the given one, durably and for ever; with `NO_BEAT`, if
   * it still cannot be read. False: it was renewed meanwhile, or is gone.
   */
  endSession(session: string, beat: number): Promise<boolean>;
  /** Ends a session whatever its beat is: its process has stopped. */
  closeSession(session: string): Promise<void>;
  /** Every session that lives, and those that are over and not forgotten. */
  listSessions(): Promise<readonly SessionRecord[]>;
  /** Removes the record of a session that is over. A session without a record is over as well. */
  forgetSession(session: string): Promise<void>;
  /**
   * Tasks with running actions whose leases the session owns, in the order of their ids. Those that
   * cannot be read are not among them.
   */
  findHeld(session: string, query: HeldQuery): Promise<HeldPage>;
  /** Stored revisions of these tasks; those that are not stored are left out. */
  readRevisions(taskIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}
