import { isActive } from './action-run.js';
import type { Change } from './change.js';
import { isAtWork, isEndingEarly } from './early-end.js';
import { type LockTicket, type NamedLock, scopeOfTicket, waitingTickets } from './lock.js';
import { namesOf } from './lock-names.js';
import { lookAgainAt } from './retry-delay.js';
import type { StepRuns } from './task.js';

/**
 * Lets what is to be undone use the locks of steps that do nothing any more: such steps wait for
 * the early end of the task, and that for the undo, so nobody would let go. Returns whether
 * something goes on.
 */
export function lendLocks(change: Change): boolean {
  const waiting = waitingTickets(change);
  if (waiting.length === 0 || !isEndingEarly(change)) return false;
  const isBusy = change.runs.some((both, place) => isInHands(both) || isAtWork(change, place));
  if (isBusy) return false;
  const tickets = waiting.filter((ticket) => lend(change, ticket));
  for (const ticket of tickets) change.tally.plan(scopeOfTicket(change, ticket), 'again');
  return tickets.length > 0;
}

/** Whether something outside the task undoes a step: its own steps are looked at by themselves. */
function isInHands({ rollback }: StepRuns): boolean {
  if (rollback === null || !isActive(rollback)) return false;
  return rollback.state !== 'running' || rollback.dueAt !== null;
}

/** A ticket leaves all lines, and one for those locks that no step has takes its place. */
function lend(change: Change, ticket: LockTicket): boolean {
  const { locks, step } = ticket;
  if (locks === null || step === null) return false;
  const lenders = change.locks.filter((other) => other.heldAt !== null && sharesOne(other, locks));
  if (lenders.length === 0) return false;
  const missing = locks.filter(({ name }) => !lenders.some((other) => isFor(other, name)));
  const isHeld = missing.length === 0;
  const message = namesOf(isHeld ? locks : missing);
  const kind = isHeld ? 'locks_taken' : 'waits_for_locks';
  change.noteRun(kind, { direction: 'normal', step }, { message });
  change.replaceTicket(ticket, {
    ...ticket,
    number: change.base.journalSeq + change.entries.length,
    locks: missing,
    heldAt: isHeld ? change.now : null,
    looks: 1,
    dueAt: isHeld ? null : lookAgainAt(change, 1),
    borrowed: [...(ticket.borrowed ?? []), ...lenders.map(({ number }) => number)],
  });
  return isHeld;
}

function sharesOne(ticket: LockTicket, locks: readonly NamedLock[]): boolean {
  return locks.some(({ name }) => isFor(ticket, name));
}

function isFor({ locks }: LockTicket, name: string): boolean {
  return locks !== null && locks.some((lock) => lock.name === name);
}
