import { NO_RETRY, type RetryPolicy } from '../flow/action.js';
import { invariant } from '../assert.js';
import type { Change } from '../change/change.js';
import { failScope, waitsForOther } from '../moves/fail-scope.js';
import { FAILURE_CODES } from '../task/failure.js';
import type { StepOf } from '../flow/flow.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { stepAt } from '../scopes/step-at.js';
import { heldBy } from '../scopes/scope-index.js';
import { failStep } from '../moves/recover.js';
import { retryDelay } from '../task/retry-delay.js';
import type { Turn } from '../task/scope.js';
import { beginScope, runAt, scopeIn } from '../moves/scope-change.js';
import { failsForRoom, holderKind, startHolder, succeedHolder } from './holder.js';
import type { StepKind } from './kind.js';
import { normalOf } from '../task/action-ref.js';

/**
 * A nested saga: a scope of its own, which is undone as a whole when one of its steps fails, and
 * then tried again as often as its `retry` says, or with one value after the other.
 */
export const group: StepKind = holderKind({
  start(change, place, { forEach: values }) {
    if (values === undefined) return startTry(change, place, null);
    const list = values as readonly JsonValue[];
    if (list.length === 0) return failEmpty(change, place);
    startTry(change, place, { values: list });
  },
  done: (change, scope) => succeedHolder(change, scopeIn(change, scope).holder),
  again: tryAgain,
  due,
});

function groupAt(change: Change, place: number): StepOf<'group'> {
  const step = stepAt(change, place);
  invariant(step?.group !== undefined, `the step at ${place} is no group`);
  return step;
}

/** The values that a group with `forEach` tries, as kept in its run. */
type Kept = JsonObject & { readonly values: readonly JsonValue[] };

function startTry(change: Change, place: number, kept: Kept | null): void {
  const { retry, timeoutMs } = groupAt(change, place);
  if (failsForRoom(change, place, [{ kind: 'try' }])) return;
  startHolder(change, place, timeoutMs);
  const run = runAt(change, normalOf(place));
  if (kept !== null) change.putRun(normalOf(place), { ...run, values: kept });
  const value = kept?.values[run.spent - 1] ?? null;
  const values = 'forEach' in retry ? { [retry.as]: value } : null;
  beginScope(change, place, { kind: 'try', values });
}

function keptAt(change: Change, place: number): Kept | null {
  return runAt(change, normalOf(place)).values as Kept | null;
}

function failEmpty(change: Change, place: number): void {
  fail(change, place, {
    isLate: false,
    message: 'the list of values to try is empty',
    cause: null,
  });
}

/** The policy of a group, whose values are its attempts. */
function policyAt(change: Change, place: number): RetryPolicy {
  const { retry } = groupAt(change, place);
  if (!('forEach' in retry)) return retry;
  return { ...NO_RETRY, attempts: keptAt(change, place)?.values.length ?? 1 };
}

function tryAgain(change: Change, place: number, turned: Turn): boolean {
  const retry = policyAt(change, place);
  const ref = normalOf(place);
  const forward = runAt(change, ref);
  const wait = retryDelay(retry, forward.spent, change.moment.chance);
  const inTime = forward.deadline === null || change.now + wait < forward.deadline;
  const isLate = turned.why === 'scope_timed_out';
  if (isLate || forward.spent >= retry.attempts || !inTime) return false;
  const dueAt = change.now + wait;
  change.noteRun('retry_scheduled', ref, { dueAt });
  if (wait === 0) {
    startTry(change, place, keptAt(change, place));
    return true;
  }
  const next = change.edit(ref, forward, 'waiting');
  next.code = FAILURE_CODES.FAILED;
  next.message = turned.message;
  next.dueAt = dueAt;
  return true;
}

/** The time for all tries is over, or the wait before the next one, or meanwhile both. */
function due(change: Change, place: number): void {
  const { deadline, state } = runAt(change, normalOf(place));
  const { name } = groupAt(change, place);
  const message = `step ${name} timed out`;
  const cause = { code: 'TIMED_OUT', step: name, message };
  if (state !== 'waiting') {
    const next = change.edit(normalOf(place), runAt(change, normalOf(place)), state);
    next.dueAt = null;
    const [open] = heldBy(change, place).open;
    if (open === undefined) return;
    // The end of the hold brings this moment forward.
    if (waitsForOther(change, open)) next.dueAt = change.now + change.moment.timing.alertRepeatMs;
    else failScope(change, open, { why: 'scope_timed_out', message, cause });
  } else if (deadline === null || change.now < deadline) {
    startTry(change, place, keptAt(change, place));
  } else {
    fail(change, place, { isLate: true, message, cause });
  }
}

function fail(
  change: Change,
  place: number,
  { cause, isLate, message }: Pick<Turn, 'message' | 'cause'> & { isLate: boolean },
): void {
  const { name } = groupAt(change, place);
  failStep(change, place, {
    cause: cause ?? { code: isLate ? 'TIMED_OUT' : 'FAILED', step: name, message },
    message,
    isLate,
  });
}
