import { isLockWanted, type LockNews, type LockTicket, NO_LOCKS } from '../locks/lock.js';
import { StandingChange } from './standing-change.js';
import type { Scope } from '../task/scope.js';
import type { StepRuns, Task, TaskPlan } from '../task/task.js';

/** The locks that a task holds or waits for, on its way to its next document. */
export abstract class LockChange extends StandingChange {
  locks: readonly LockTicket[];
  /**
   * The effect of the change on locks: whether any are waited for, and the tickets that are freed.
   */
  readonly locking: { isWaiting: boolean; freed: readonly LockTicket[] } = {
    isWaiting: false,
    freed: NO_LOCKS,
  };

  constructor(base: Task, now: number) {
    super(base, now);
    // A build that knows of no locks may have ended it.
    this.locks = base.outcome === null ? base.locks : NO_LOCKS;
  }

  abstract get plan(): TaskPlan;
  abstract get runs(): readonly StepRuns[];
  abstract get scopes(): readonly Scope[];

  /** Puts a ticket in its place, or as the last one. */
  putTicket(next: LockTicket): void {
    const others = this.locks.filter(({ number }) => number !== next.number);
    this.locks = [...others, next];
  }

  /** The work on locks to do once the document is stored; null: there is none. */
  get lockNews(): LockNews | null {
    const { freed, isWaiting } = this.locking;
    return isWaiting || freed.length > 0 ? { isWaiting, freed } : null;
  }

  /** Lets go of the locks that are wanted no more. */
  protected letGo(): void {
    if (this.locks.length === 0) return;
    const kept = this.locks.filter((ticket) => isLockWanted(this, ticket));
    if (kept.length === this.locks.length) return;
    this.locking.freed = this.locks.filter((ticket) => !kept.includes(ticket));
    this.locks = kept.length === 0 ? NO_LOCKS : kept;
  }
}
