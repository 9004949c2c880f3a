import type { Change } from '../change.js';
import { endTimedOut } from '../end-attempt.js';
import type { ActionRef, Tick } from '../event.js';
import { raiseAlert } from '../raise-alert.js';
import { TASK_STATUS } from '../status.js';
import type { ActionRun } from '../task.js';
import { turnBack } from '../turn-back.js';
import { APPLIED, ignored, type Verdict } from '../verdict.js';
import { queueDeadline } from '../wake.js';
import { loseLease } from './lease-lost.js';

/**
 * Does everything whose time has come: lost leases, lost messages, retries, timers, deadlines,
 * reminders.
 */
export function tick(change: Change, event: Tick): Verdict {
  let due = 0;
  for (const ref of everyAction(change)) {
    const run = change.run(ref);
    if (run !== null && tickRun(change, ref, { run, event })) due++;
  }
  if (tickDeadline(change)) due++;
  if (tickAlert(change)) due++;
  return due > 0 ? APPLIED : ignored('nothing_due');
}

/**
 * All actions of a task, those of the way back first, so that one event does not wake what another
 * just queued.
 */
export function everyAction(change: Change): readonly ActionRef[] {
  const refs: ActionRef[] = [];
  for (let step = 0; step < change.runs.length; step++) {
    if (change.runs[step]?.rollback) refs.push({ direction: 'rollback', step });
    refs.push({ direction: 'normal', step });
  }
  if (change.alertStep !== null) refs.push({ direction: 'alert', step: change.alertStep });
  return refs;
}

function tickRun(
  change: Change,
  ref: ActionRef,
  { run, event }: { run: ActionRun; event: Tick },
): boolean {
  const { now } = change;
  if (run.state === 'running' && (run.lease?.until ?? 0) <= now && !event.sparesLeases) {
    loseLease(change, ref, run);
  } else if (run.state === 'waiting' && (run.dueAt ?? 0) <= now) {
    change.queue(ref, run);
  } else if (run.state === 'queued' && queueDeadline(run) <= now) {
    endTimedOut(change, ref, 'the time was over before another attempt could start');
  } else if (run.state === 'queued' && (run.dueAt ?? 0) <= now) {
    return lookForMessage(change, ref, { run, event });
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
  const { module } = change.action(ref);
  if (event.unreachable?.includes(module) === true) return false;
  const waitMs = event.crowded.get(module);
  if (waitMs !== undefined) {
    change.putOff(ref, run, waitMs);
  } else {
    change.sendAgain(ref, run);
    change.noteRun('dispatched_again', ref);
  }
  return true;
}

function tickDeadline(change: Change): boolean {
  const { deadline } = change.base.plan;
  if (deadline === null || deadline > change.now) return false;
  if (change.status > TASK_STATUS.running || change.status === TASK_STATUS.succeeded) return false;
  turnBack(change, 'the time for the whole task was over');
  return true;
}

function tickAlert(change: Change): boolean {
  const { alert, alertStep, status } = change;
  if (status !== TASK_STATUS.rollback_failed || alert?.state !== 'succeeded') return false;
  const repeatAt = (alert.endedAt ?? 0) + change.moment.timing.alertRepeatMs;
  if (repeatAt > change.now || alertStep === null) return false;
  raiseAlert(change, alertStep);
  return true;
}
