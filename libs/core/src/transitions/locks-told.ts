import { advance } from '../advance/advance.js';
import type { Change } from '../change/change.js';
import { endUnstarted } from '../advance/end-attempt.js';
import type { LocksHeld, LocksNamed } from '../task/event.js';
import { failScope } from '../moves/fail-scope.js';
import { lockPlans, scopeOfTicket } from '../locks/lock.js';
import { namedLocks } from '../locks/lock-names.js';
import { holdTicket, nameTicket } from '../moves/lock-gate.js';
import { endPlace, firstPlace, TASK } from '../scopes/step-at.js';
import { failStep, isCaught } from '../moves/recover.js';
import { heldBy } from '../scopes/scope-index.js';
import { nameAt, runAt } from '../moves/scope-change.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import type { LockTicket } from '../task/lock-ticket.js';
import { rollbackOf } from '../task/action-ref.js';

/** It is known what the locks are called that a task, or a step of it, asks for. */
export function locksNamed(change: Change, { answer, number }: LocksNamed): Verdict {
  const ticket = change.locks.find((each) => each.number === number);
  if (change.outcome !== null || ticket === undefined) return ignored('no_such_action');
  if (ticket.locks !== null) return ignored('repeated');
  const locks = namedLocks(lockPlans(change, ticket.step), answer);
  if (typeof locks === 'string') fail(change, ticket, locks);
  else if (nameTicket(change, ticket, locks).heldAt !== null) goOn(change, ticket);
  advance(change);
  return APPLIED;
}

/** The locks of a ticket are held, all of them. */
export function locksHeld(change: Change, { number }: LocksHeld): Verdict {
  const ticket = change.locks.find((each) => each.number === number);
  if (change.outcome !== null || ticket === undefined) return ignored('no_such_action');
  if (ticket.locks === null || ticket.heldAt !== null) return ignored('repeated');
  holdTicket(change, ticket);
  goOn(change, ticket);
  advance(change);
  return APPLIED;
}

/** Marks the scopes to be looked at again, so that steps that waited for the locks go on. */
function goOn(change: Change, ticket: LockTicket): void {
  change.progress.plan(scopeOfTicket(change, ticket), 'again');
  if (ticket.step !== null) goOnIn(change, ticket.step);
}

/** A step that is under way had let go of its locks as the task was about to end. */
function goOnIn(change: Change, holder: number): void {
  for (const scope of heldBy(change, holder).open) {
    change.progress.plan(scope, 'again');
    const end = endPlace(change, scope);
    for (let place = firstPlace(change, scope); place < end; place += 1) goOnIn(change, place);
  }
}

function fail(change: Change, ticket: LockTicket, message: string): void {
  const { step } = ticket;
  if (step === null) {
    const cause = { code: 'EXPRESSION_FAILED', step: '', message };
    failScope(change, TASK, { why: 'step_failed', message, cause });
    return;
  }
  // It failed for want of the names, and steps run because of that: these need none of them.
  if (isCaught(change, step)) {
    holdTicket(change, { ...ticket, locks: [] });
    return goOn(change, ticket);
  }
  const undo = change.run(rollbackOf(step));
  if (undo?.state === 'pending') {
    change.edit(rollbackOf(step), runAt(change, rollbackOf(step)), 'queued');
    endUnstarted(change, rollbackOf(step), message);
    return;
  }
  const cause = { code: 'EXPRESSION_FAILED', step: nameAt(change, step), message };
  failStep(change, step, { cause, message, isLate: false });
}
