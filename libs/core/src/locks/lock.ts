import { hasFailed, isActive, type StepRuns } from '../task/action-run.js';
import { isAtWorkIn, waitsForBranch } from '../scopes/steps-at-work.js';
import { isHeldBack } from '../scopes/waiting-branches.js';
import { earlyEnd } from '../scopes/early-step.js';
import {
  firstPlace,
  isOpen,
  type Placed,
  scopeAt,
  scopeBelow,
  stepAt,
  TASK,
  wayAt,
} from '../scopes/step-at.js';
import { runIdOf } from '../scopes/run-id.js';
import { isPassed } from '../scopes/task-index.js';
import type { Task } from '../task/task.js';
import type { LockPlan } from '../flow/lock-plan.js';
import type { LockTicket } from '../task/lock-ticket.js';

/** The parts of a task that say whether its locks are wanted. */
type Locking = Placed & Pick<Task, 'outcome' | 'turned' | 'way' | 'locks'>;

/** The ticket of a step's present run, or with null of the task itself; undefined: it has none. */
export function ticketAt(
  task: Placed & Pick<Task, 'locks'>,
  step: number | null,
): LockTicket | undefined {
  // One of a former run may still be there, until the change is done.
  return task.locks.find((each) => {
    return each.step === step && (step === null || each.run === runIdOf(task, step));
  });
}

/**
 * Whether locks are held or waited for any longer: of a task until it has ended, of a step while it
 * goes forward, has failed, or goes back. Asked at every change, so that no lock outlives its use.
 */
export function isLockWanted(task: Locking, { run, step }: LockTicket): boolean {
  if (task.outcome !== null) return false;
  if (step === null) return true;
  const both = task.runs[step];
  if (both === undefined || runIdOf(task, step) !== run) return false;
  return isUndoing(task, step, both) || isGoing(task, step, both);
}

function isUndoing(task: Locking, step: number, { rollback }: StepRuns): boolean {
  if (rollback === null) return false;
  if (isActive(rollback)) return !isIdleBranching(task, step);
  if (rollback.state === 'failed') return true;
  // Its undo asks for them again where others are to end first, which may need them to do so.
  return rollback.state === 'pending' && !isHeldBack(task, scopeAt(task, step));
}

/** Whether of a step nothing but its other branches is left, as the task ends early. */
function isIdleBranching(task: Locking, step: number): boolean {
  return earlyEnd(task) !== null && waitsForBranch(task, step) && !isAtWorkIn(task, step);
}

function isGoing(task: Locking, step: number, { normal, rollback }: StepRuns): boolean {
  // As the task ends early, a step on which nobody works only waits for that end, and what is to
  // end first may need its locks.
  const isEnding = earlyEnd(task) !== null;
  if (isActive(normal)) return !isEnding || isAtWorkIn(task, step);
  if (wayAt(task, step) === 'back') return false;
  if (normal.state === 'pending') return !isEnding && mayStart(task, step);
  // A person may have it tried again.
  return hasFailed(normal) && (rollback === null || rollback.state === 'none');
}

/**
 * Whether a step that goes forward is ready, and starts. While a part of the task goes back,
 * nothing of the task starts beside it: a lock kept for that would bar the undo that needs it. A
 * step that a reset begins again may need the lock of one that is ready no more.
 */
function mayStart(task: Locking, step: number): boolean {
  const scope = scopeAt(task, step);
  if (!(scope === TASK ? task.way === 'forward' : isOpen(task, scope))) return false;
  const first = firstPlace(task, scope);
  return (stepAt(task, step)?.needs ?? []).every((need) => {
    const run = task.runs[first + need]?.normal;
    return run !== undefined && isPassed(run.state);
  });
}

/** Names that the task, or a step around a place, holds: what lies in it needs them no more. */
export function namesHeldAround(
  task: Placed & Pick<Task, 'locks'>,
  step: number | null,
): ReadonlySet<string> {
  const names = new Set<string>();
  if (step === null) return names;
  const add = (holder: number | null): void => {
    const ticket = ticketAt(task, holder);
    if (ticket !== undefined && ticket.heldAt !== null) {
      for (const { name } of ticket.locks ?? []) names.add(name);
    }
  };
  add(null);
  for (let below = scopeBelow(task, scopeAt(task, step)); below !== null;) {
    add(below.holder);
    below = scopeBelow(task, scopeAt(task, below.holder));
  }
  return names;
}

/** The locks that a step of the flow, or with null the flow itself, asks for. */
export function lockPlans(
  task: Pick<Task, 'plan' | 'scopes'>,
  step: number | null,
): readonly LockPlan[] {
  return (step === null ? task.plan.locks : stepAt(task, step)?.locks) ?? [];
}

/** The tickets of a task whose locks are waited for. */
export function waitingTickets({ locks }: Pick<Task, 'locks'>): readonly LockTicket[] {
  return locks.length === 0 ? locks : locks.filter(({ heldAt }) => heldAt === null);
}

/** The number of the scope that goes on once a ticket's locks are held. */
export function scopeOfTicket(task: Pick<Task, 'scopes'>, { step }: LockTicket): number {
  return step === null ? TASK : scopeAt(task, step);
}
