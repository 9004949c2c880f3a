import { invariant } from '../assert.js';
import { NOTHING_TO_UNDO } from '../action-run.js';
import { callOff, endCalledOff } from '../call-off.js';
import type { Change } from '../change.js';
import type { ActionRef } from '../event.js';
import { failScope } from '../fail-scope.js';
import { FAILURE_CODES } from '../failure.js';
import type { GroupStep } from '../flow.js';
import { scopeAt, scopeOf, stepAt } from '../places.js';
import { retryDelay } from '../retry-delay.js';
import { beginScope, runAt, runHolder, turnScope } from '../scope-change.js';
import type { Scope, Turn } from '../scope.js';
import type { ActionRun } from '../task.js';
import type { StepKind } from './kind.js';

/**
 * A nested saga: a scope of its own, which is undone as a whole when one of its steps fails, and
 * then tried again as often as its `retry` says.
 */
export const group: StepKind = {
  enter: startTry,
  callOff: callOffGroup,
  undo(change, place) {
    const message = `step ${groupAt(change, place).name} is undone`;
    turn(change, place, { why: 'undone', message });
  },
  holds: { done: succeed, clean, due },
};

function groupAt(change: Change, place: number): GroupStep {
  const step = stepAt(change, place);
  invariant(step?.group !== undefined, `the step at ${place} is no group`);
  return step;
}

function startTry(change: Change, place: number): void {
  const { timeoutMs } = groupAt(change, place);
  const ref = normalOf(place);
  const next = runHolder(change, ref);
  if (timeoutMs !== null) next.deadline ??= change.now + timeoutMs;
  next.dueAt = next.deadline;
  change.putRun(rollbackOf(place), NOTHING_TO_UNDO);
  change.noteRun('started', ref);
  beginScope(change, place, 'try');
}

function normalOf(step: number): ActionRef {
  return { direction: 'normal', step };
}

function rollbackOf(step: number): ActionRef {
  return { direction: 'rollback', step };
}

function turn(change: Change, place: number, why: Pick<Turn, 'why' | 'message'>): void {
  const scope = scopeOf(change, place);
  invariant(scope !== null, `step ${place} was never entered`);
  turnScope(change, scope, why);
}

function callOffGroup(change: Change, place: number): void {
  const { state } = runAt(change, normalOf(place));
  if (state !== 'running') return callOff(change, place);
  // It may be on its way back already.
  if (runAt(change, rollbackOf(place)).state === 'running') return;
  turn(change, place, { why: 'called_off', message: 'called off: what is around it goes back' });
}

function succeed(change: Change, scope: number): void {
  const { holder } = scopeIn(change, scope);
  const ref = normalOf(holder);
  const ended = change.end(ref, runAt(change, ref), 'succeeded');
  ended.code = 0;
  ended.message = null;
  change.noteRun('succeeded', ref);
}

function scopeIn(change: Change, scope: number): Scope {
  const found = change.scopes[scope];
  invariant(found !== undefined, `there is no scope ${scope}`);
  return found;
}

/** It was undone after it had succeeded, or it failed, and its retry decides. */
function clean(change: Change, scope: number): void {
  const { holder } = scopeIn(change, scope);
  const undo = rollbackOf(holder);
  change.end(undo, runAt(change, undo), 'succeeded');
  const forward = runAt(change, normalOf(holder));
  if (forward.state === 'succeeded') {
    change.noteRun('succeeded', undo);
  } else if (change.wants(normalOf(holder))) {
    tryAgainOrFail(change, scope, forward);
  } else {
    endCalledOff(change, holder);
  }
}

function tryAgainOrFail(change: Change, scope: number, forward: ActionRun): void {
  const { holder, turned } = scopeIn(change, scope);
  const { retry } = groupAt(change, holder);
  const wait = retryDelay(retry, forward.spent, change.moment.chance);
  const inTime = forward.deadline === null || change.now + wait < forward.deadline;
  const message = turned?.message ?? '';
  if (forward.spent >= retry.attempts || !inTime) {
    fail(change, holder, { isLate: turned?.why === 'scope_timed_out', message });
    return;
  }
  const ref = normalOf(holder);
  const dueAt = change.now + wait;
  change.noteRun('retry_scheduled', ref, { dueAt });
  if (wait === 0) return startTry(change, holder);
  const next = change.edit(ref, forward, 'waiting');
  next.code = FAILURE_CODES.FAILED;
  next.message = message;
  next.dueAt = dueAt;
}

function fail(
  change: Change,
  place: number,
  { isLate, message }: { isLate: boolean; message: string },
): void {
  const ref = normalOf(place);
  const code = isLate ? 'TIMED_OUT' : 'FAILED';
  const ended = change.end(ref, runAt(change, ref), isLate ? 'timed_out' : 'failed');
  ended.code = FAILURE_CODES[code];
  ended.message = message;
  change.noteRun(isLate ? 'timed_out' : 'failed', ref, { message, code });
  const why = isLate ? 'step_timed_out' : 'step_failed';
  const { name } = groupAt(change, place);
  const sentence = `step ${name} ${isLate ? 'timed out' : 'failed'}: ${message}`;
  failScope(change, scopeAt(change, place), { why, message: sentence });
}

/** The time for all tries is over, or the wait before the next one, or meanwhile both. */
function due(change: Change, place: number): void {
  const { deadline, state } = runAt(change, normalOf(place));
  const message = `the time for step ${groupAt(change, place).name} was over`;
  if (state !== 'waiting') turn(change, place, { why: 'scope_timed_out', message });
  else if (deadline === null || change.now < deadline) startTry(change, place);
  else fail(change, place, { isLate: true, message });
}
