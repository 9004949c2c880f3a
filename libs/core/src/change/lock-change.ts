import { isLockWanted } from '../locks/lock.js';
import { type LockTicket, NO_LOCKS } from '../task/lock-ticket.js';
import type { Task } from '../task/task.js';

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
