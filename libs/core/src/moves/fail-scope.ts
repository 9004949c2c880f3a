import type { Change } from '../change/change.js';
import { hasPassedPivot } from '../scopes/pivot.js';
import { scopeBelow, stepAt, TASK } from '../scopes/step-at.js';
import { heldBy } from '../scopes/scope-index.js';
import { turnScope, type TurnWish } from './scope-change.js';
import { failedSteps } from '../scopes/failed-steps.js';

/**
 * A step of a scope failed for good: the scope goes back, or its task waits for a person, if the
 * flow says so, or a point of no return was passed in the scope.
 */
export function failScope(change: Change, scope: number, turn: TurnWish): void {
  const { hold } = change;
  const isPassed = hasPassedPivot(change, scope);
  if (!isPassed && scope !== TASK) {
    turnScope(change, scope, turn);
    cancelOthers(change, scope);
  } else if (!isPassed && change.plan.onFailure === 'rollback') {
    if (hold?.why === 'requested') change.endHold();
    turnScope(change, scope, turn);
  } else if (hold === null) {
    holdForPerson(change, turn.message);
  } else if (hold.why === 'step_failed') {
    change.standing.message = turn.message;
  }
}

/** Whether a failure in a scope has the task wait for a person, with all of the scope as it is. */
export function holdsOnFailure(change: Change, scope: number): boolean {
  if (hasPassedPivot(change, scope)) return true;
  return scope === TASK && change.plan.onFailure !== 'rollback';
}

/**
 * Whether nothing becomes of a time that is over in a scope for now: a point of no return was
 * passed in it, and a person has something else of the task to settle first.
 */
export function waitsForOther(change: Change, scope: number): boolean {
  const { hold } = change;
  return hold !== null && hold.why !== 'step_failed' && hasPassedPivot(change, scope);
}

/** A step that is between two of its scopes failed: it goes back from the last that was done. */
export function failLastDone(change: Change, place: number, turn: TurnWish): void {
  const last = heldBy(change, place).done.at(-1);
  if (last !== undefined) failScope(change, last, turn);
}

/** Of branches that do not wait for each other, the failure of one calls the others off. */
function cancelOthers(change: Change, scope: number): void {
  const below = scopeBelow(change, scope);
  if (below?.kind !== 'branch') return;
  if (stepAt(change, below.holder)?.onBranchFailure === 'wait') return;
  const message = 'called off: another branch failed';
  for (const other of heldBy(change, below.holder).open) {
    const isForward = scopeBelow(change, other)?.way === 'forward';
    if (isForward) turnScope(change, other, { why: 'called_off', message });
  }
}

/** The task waits for a person, as long as its flow says. */
function holdForPerson(change: Change, message: string): void {
  const { onFailure } = change.plan;
  const holdMs = onFailure === 'rollback' ? null : onFailure.holdMs;
  holdUntil(change, holdMs === null ? null : change.now + holdMs, message);
}

/** The task waits for a person until then; null: for as long as it takes. */
export function holdUntil(change: Change, until: number | null, message: string): void {
  change.standing.putOnHold({ why: 'step_failed', by: null, until }, message);
  change.note('task_on_hold', { message, dueAt: until ?? undefined });
}

/**
 * A person has settled what the task was on hold for. It goes on in its direction, unless another
 * step that failed still waits for a person.
 */
export function endHold(change: Change): void {
  change.endHold();
  const [failed] = failedSteps(change);
  if (failed === undefined) return;
  const name = stepAt(change, failed)?.name ?? '';
  holdForPerson(change, `step ${name} failed: ${change.runs[failed]?.normal.message ?? ''}`);
}
