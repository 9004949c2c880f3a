import type { Change } from '../change/change.js';
import { failStep } from '../moves/recover.js';
import { lackOfRoom } from '../moves/room.js';
import { asksOf } from '../task/plan-values.js';
import { callOffHolder, undoHolder } from '../moves/holder-back.js';
import { type Beginning, clearUndo, nameAt, runAt, runHolder } from '../moves/scope-change.js';
import type { Holding, StepKind } from './kind.js';
import { normalOf } from '../task/action-ref.js';

/** The rules that a kind of step with steps in it defines for itself. */
type Own = Pick<StepKind, 'start'> & Partial<Pick<StepKind, 'asks' | 'due'>> & Partial<Holding>;

/** A kind of step that holds steps: what all of these have in common, around what it says. */
export function holderKind({
  again = () => false,
  answered = null,
  asks = asksOf,
  asksOn = null,
  done = () => {},
  due = null,
  start,
}: Own): StepKind {
  const holds = { done, again, asksOn, answered };
  return { asks, start, due, callOff: callOffHolder, undo: undoHolder, holds };
}

/** Has a step that holds steps begin; the caller begins its scopes. */
export function startHolder(change: Change, place: number, timeoutMs: number | null = null): void {
  const ref = normalOf(place);
  const next = runHolder(change, ref);
  if (timeoutMs !== null) next.deadline ??= change.now + timeoutMs;
  next.dueAt = next.deadline;
  clearUndo(change, place);
  change.noteRun('started', ref);
}

/** All that a step holds is done, and so is the step. */
export function succeedHolder(change: Change, place: number): void {
  const ref = normalOf(place);
  const ended = change.end(ref, runAt(change, ref), 'succeeded');
  ended.code = 0;
  ended.error = null;
  ended.message = null;
  change.noteRun('succeeded', ref);
}

/** Has a step fail that is to begin scopes for which its task has no room. False: there is room. */
export function failsForRoom(
  change: Change,
  place: number,
  beginnings: readonly Beginning[],
): boolean {
  const message = lackOfRoom(change, place, beginnings);
  if (message === null) return false;
  const cause = { code: 'TASK_TOO_LARGE', step: nameAt(change, place), message };
  failStep(change, place, { cause, message, isLate: false });
  return true;
}
