import type { Change } from '../change/change.js';
import { namesHeldAround, ticketAt } from '../locks/lock.js';
import { areNamed, inOrder } from '../locks/lock-names.js';
import { scopeAt, scopeBelow, stepAt } from '../scopes/step-at.js';
import { lookAgainAt } from '../task/retry-delay.js';
import { runIdOf } from '../scopes/run-id.js';
import type { LockPlan } from '../flow/lock-plan.js';
import type { LockTicket, NamedLock } from '../task/lock-ticket.js';

/**
 * Whether a step has the locks without which it neither starts nor is undone: those of the task, of
 * the steps around it, and its own. Missing locks are asked for, the outermost first.
 */
export function hasLocks(change: Change, place: number): boolean {
  const below = scopeBelow(change, scopeAt(change, place));
  if (below === null) {
    const { locks } = change.plan;
    if (locks !== null && !isHeld(change, null, locks)) return false;
  } else if (!hasLocks(change, below.holder)) return false;
  const own = stepAt(change, place)?.locks;
  return own === undefined || isHeld(change, place, own);
}

function isHeld(change: Change, step: number | null, plans: readonly LockPlan[]): boolean {
  const ticket = ticketAt(change, step) ?? newTicket(change, step, plans);
  return ticket.heldAt !== null;
}

function newTicket(change: Change, step: number | null, plans: readonly LockPlan[]): LockTicket {
  const ref = step === null ? null : ({ direction: 'normal', step } as const);
  const message = areNamed(plans) ? namesOf(plans) : undefined;
  if (ref === null) change.note('waits_for_locks', { message });
  else change.noteRun('waits_for_locks', ref, { message });
  const ticket: LockTicket = {
    number: change.journal.seq,
    step,
    run: step === null ? null : runIdOf(change, step),
    locks: null,
    since: change.now,
    heldAt: null,
    looks: 1,
    dueAt: lookAgainAt(change, 1),
  };
  change.locking.waitFor(ticket);
  return areNamed(plans) ? nameTicket(change, ticket, inOrder(plans)) : ticket;
}

/** The names of locks, for people. */
function namesOf(locks: readonly LockPlan[]): string {
  return locks.map(({ name }) => name).join(', ');
}

/** The names of a ticket's locks are known: those that are held around it are not asked for. */
export function nameTicket(
  change: Change,
  ticket: LockTicket,
  locks: readonly NamedLock[],
): LockTicket {
  const around = namesHeldAround(change, ticket.step);
  const wanted = locks.filter(({ name }) => !around.has(name));
  const named = { ...ticket, locks: wanted };
  change.locking.waitFor(named);
  return wanted.length === 0 ? holdTicket(change, named) : named;
}

/** All locks of a ticket are held. */
export function holdTicket(change: Change, ticket: LockTicket): LockTicket {
  const held = { ...ticket, heldAt: change.now, dueAt: null };
  change.locking.put(held);
  const message = namesOf(ticket.locks ?? []);
  if (ticket.step === null) change.note('locks_taken', { message });
  else change.noteRun('locks_taken', { direction: 'normal', step: ticket.step }, { message });
  return held;
}

/** Has the engine look after the locks that a ticket waits for, now and again after a while. */
export function lookForLocks(change: Change, ticket: LockTicket): void {
  const looks = ticket.looks + 1;
  change.locking.waitFor({ ...ticket, looks, dueAt: lookAgainAt(change, looks) });
}
