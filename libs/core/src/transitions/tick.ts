import { advance } from '../advance/advance.js';
import type { Change } from '../change/change.js';
import { openChildren } from '../children/children.js';
import { endAwaited, endUnclaimed } from '../advance/end-attempt.js';
import type { Action } from '../flow/action.js';
import type { CommandSets, Tick } from '../task/event.js';
import { wantsFailureTask } from '../children/failure-flow.js';
import { holdUntil } from '../moves/fail-scope.js';
import { rulesOf } from '../kinds/table.js';
import { waitingTickets } from '../locks/lock.js';
import { lookForLocks } from '../moves/lock-gate.js';
import { runOf } from '../scopes/dispatch.js';
import { stepAt, TASK } from '../scopes/step-at.js';
import { hasPassedPivot } from '../scopes/pivot.js';
import { isAsking } from '../kinds/question-of.js';
import { openActions } from '../scopes/task-index.js';
import { callsPerson, maySend, startsActions } from '../task/status.js';
import { turnBack } from '../advance/turn-back.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import { queueDeadline, timeOver, waitsForDecision } from '../scopes/wake.js';
import { endLease, workersRun } from './lease-ended.js';
import { loseLease } from './lease-lost.js';
import { type ActionRef, rollbackOf } from '../task/action-ref.js';
import { failedUndo } from '../children/alert-task.js';
import { lookAgain } from '../moves/tend-children.js';
import type { ActionRun } from '../task/action-run.js';

/**
 * Longest time between two looks for a command that no executor has, in milliseconds: a process
 * that missed its return finds it after this.
 */
const COMMAND_WAIT_MAX_MS = 60_000;

/**
 * Does everything whose time has come: lost leases, lost messages, retries, timers, deadlines,
 * reminders.
 */
export function tick(change: Change, event: Tick): Verdict {
  let due = 0;
  // Those of the base, so that one event does not wake what another just queued.
  for (const ref of openActions(change.base)) {
    const run = change.run(ref);
    if (run !== null && tickRun(change, ref, { run, event })) due++;
  }
  if (tickDeadline(change)) due++;
  if (tickAlert(change)) due++;
  if (tickTerminated(change)) due++;
  if (tickLocks(change)) due++;
  if (tickFailure(change)) due++;
  return due > 0 ? APPLIED : ignored('nothing_due');
}

function tickRun(
  change: Change,
  ref: ActionRef,
  { run, event }: { run: ActionRun; event: Tick },
): boolean {
  const { now } = change;
  if (run.state === 'running') {
    return tickRunning(change, ref, { run, event });
  } else if (!maySend(change)) {
    // The time that a pause takes counts for nothing that it keeps from being started.
    return false;
  } else if (run.state === 'waiting' && (run.dueAt ?? Infinity) <= now) {
    if (run.look === 'outside') endAwaited(change, ref, run);
    else if (!tickOwn(change, ref)) change.queue(ref, run, turnOf(change, ref, run));
  } else if (run.state === 'queued' && isAsking(change, ref)) {
    if ((run.dueAt ?? 0) > now) return false;
    change.ask(ref, run);
  } else if (run.state === 'queued' && queueDeadline(run) <= now) {
    endUnclaimed(change, ref, run);
  } else if (run.state === 'queued' && (run.dueAt ?? 0) <= now) {
    return lookForMessage(change, ref, { run, event });
  } else if (isLeft(change, ref, run) && isAmong(event.arrived, change.action(ref))) {
    change.sendAgain(ref, run);
    change.noteRun('dispatched_again', ref);
  } else {
    return false;
  }
  return true;
}

/** Whether an action was queued before: what this tick itself has queued is sent anyway. */
function isLeft(change: Change, ref: ActionRef, run: ActionRun): boolean {
  return run.state === 'queued' && run === runOf(change.base, ref);
}

/** Whether the action is one that no process takes: its step does what its time has come for. */
function tickOwn(change: Change, { direction, step }: ActionRef): boolean {
  const plan = direction === 'normal' ? stepAt(change, step) : undefined;
  const due = plan === undefined ? null : rulesOf(plan).due;
  if (due === null) return false;
  due(change, step);
  advance(change);
  return true;
}

/** The end of its wait; a look has the task's head start, another attempt has none. */
function turnOf(change: Change, ref: ActionRef, { dueAt, look }: ActionRun): number {
  const at = dueAt ?? change.now;
  return look === 'none' ? at : change.orderTime(ref, at);
}

/**
 * Only the end of its holder's session ends a lease. A living holder ends an action that is past
 * its deadline by itself; until it has, the engine looks now and then whether it still lives.
 */
function tickRunning(
  change: Change,
  ref: ActionRef,
  { run, event }: { run: ActionRun; event: Tick },
): boolean {
  const { moment, now } = change;
  if (run.lease === null) {
    if (run.dueAt === null || run.dueAt > now) return false;
    if (lookAgain(change, ref)) return true;
    if (!isAsking(change, ref)) return tickOwn(change, ref);
    change.ask(ref, run);
    return true;
  }
  const workers = workersRun(run);
  if (workers !== null) {
    if ((run.dueAt ?? 0) > now) return false;
    endLease(change, ref, workers);
  } else if (event.ended?.has(run.lease.owner) === true) {
    loseLease(change, ref, run);
  } else if ((run.dueAt ?? 0) <= now) {
    change.edit(ref, run, 'running').dueAt = now + moment.timing.overdueAfterMs;
  } else {
    return false;
  }
  return true;
}

/** A queued action that nobody claimed: its message is lost, waits, or cannot be sent now. */
function lookForMessage(
  change: Change,
  ref: ActionRef,
  { run, event }: { run: ActionRun; event: Tick },
): boolean {
  const action = change.action(ref);
  const { module } = action;
  if (event.unreachable?.includes(module) === true) return false;
  const waitMs = isAmong(event.unserved, action)
    ? waitForCommand(change, run)
    : event.crowded.get(module);
  if (waitMs !== undefined) {
    change.putOff(ref, run, waitMs);
  } else {
    change.sendAgain(ref, run);
    change.noteRun('dispatched_again', ref);
  }
  return true;
}

function isAmong(commands: CommandSets | undefined, { command, module }: Action): boolean {
  return commands?.get(module)?.has(command) === true;
}

/** The wait grows as long as the action has been queued, up to a bound. */
function waitForCommand({ moment, now }: Change, { orderAt }: ActionRun): number {
  const queuedMs = now - (orderAt ?? now);
  return Math.min(Math.max(queuedMs, moment.timing.redispatchAfterMs), COMMAND_WAIT_MAX_MS);
}

/** The child tasks of a task that was terminated are to be, too. */
function tickTerminated(change: Change): boolean {
  if (change.outcome !== 'terminated') return false;
  const due = openChildren(change).filter(({ holder }) => {
    return (change.runs[holder]?.normal.dueAt ?? Infinity) <= change.now;
  });
  for (const { holder } of due) lookAgain(change, { direction: 'normal', step: holder });
  return due.length > 0;
}

/** Nobody has told so far that the failure flow is started. */
function tickFailure(change: Change): boolean {
  const { failureTask, now } = change;
  if (failureTask === null || !wantsFailureTask(change)) return false;
  if ((failureTask.dueAt ?? Infinity) > now) return false;
  change.failure.ask(failureTask.looks + 1);
  return true;
}

/** Locks that are waited for were not heard of for a while. */
function tickLocks(change: Change): boolean {
  if (!startsActions(change)) return false;
  const due = waitingTickets(change).filter(({ dueAt }) => (dueAt ?? 0) <= change.now);
  for (const ticket of due) lookForLocks(change, ticket);
  return due.length > 0;
}

function tickDeadline(change: Change): boolean {
  const end = timeOver(change);
  if (end === null || end > change.now || change.outcome !== null) return false;
  if (waitsForDecision(change)) {
    const message = `nobody decided in time: ${change.message ?? ''}`;
    change.endHold();
    // Nothing goes back past a point of no return by itself.
    if (hasPassedPivot(change, TASK)) holdUntil(change, null, message);
    else turnBack(change, TASK, { why: 'hold_ended', message });
  } else if (hasPassedPivot(change, TASK)) {
    holdUntil(change, null, 'the task as a whole timed out');
  } else {
    const message = 'the task as a whole timed out';
    turnBack(change, TASK, { why: 'task_timed_out', message });
  }
  return true;
}

/** Nobody has told so far that the alert task is stored, or the next one is due. */
function tickAlert(change: Change): boolean {
  const { alerting, now } = change;
  const { alert } = alerting;
  if (!callsPerson(change) || alert === null || (alert.dueAt ?? Infinity) > now) return false;
  if (alerting.isRepeat) noteRepeat(change);
  alerting.ask();
  return true;
}

function noteRepeat(change: Change): void {
  const message = change.message ?? undefined;
  const step = failedUndo(change);
  if (step === null) change.note('alert_raised', { message });
  else change.noteRun('alert_raised', rollbackOf(step), { message });
}
