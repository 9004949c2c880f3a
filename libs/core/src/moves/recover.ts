import { hasFailed, mayHaveEffect, UNDO_PENDING } from '../task/action-run.js';
import type { Change } from '../change/change.js';
import { failScope, holdsOnFailure } from './fail-scope.js';
import { FAILURE_CODES, failureName, type FailureName } from '../task/failure.js';
import type { StepPlan } from '../flow/flow.js';
import { lackOfRoom } from './room.js';
import { scopeAt, stepAt } from '../scopes/step-at.js';
import { heldBy, type Indexed } from '../scopes/scope-index.js';
import type { Cause } from '../task/scope.js';
import { beginScope, clearUndo, nameAt, runAt, runHolder } from './scope-change.js';
import { normalOf, rollbackOf } from '../task/action-ref.js';

/** How a step failed for good. */
interface StepFailure {
  readonly cause: Cause;
  /** The reason why the step itself failed, for people. */
  readonly message: string;
  /** Its own time was over. */
  readonly isLate: boolean;
}

/**
 * A step fails for good. Where it may be caught or passed over, what it did is undone by itself;
 * else the scope in which it lies goes back, and it with that.
 */
export function failStep(change: Change, place: number, failure: StepFailure): void {
  const { cause } = failure;
  const step = stepAt(change, place);
  if (step === undefined || !isForgiven(change, place, cause)) {
    return failStanding(change, place, failure);
  }
  const { normal } = change.runs[place] ?? {};
  const undo = change.run(rollbackOf(place));
  const isLeft = step.rollback && normal !== undefined && mayHaveEffect(normal);
  if (isLeft && undo?.state === 'none') {
    endFailed(change, place, failure);
    change.putRun(rollbackOf(place), UNDO_PENDING);
    change.progress.follow(scopeAt(change, place), place);
  } else {
    forgive(change, place, failure);
  }
}

/** Whether the failure of a step is neither caught nor undone, but waits for a person. */
export function isForPerson(change: Change, place: number, cause: Cause): boolean {
  return !isForgiven(change, place, cause) && holdsOnFailure(change, scopeAt(change, place));
}

/**
 * A step fails of which nothing is undone for now: a point of no return was passed in it, or a
 * person says what becomes of its child tasks.
 */
export function failStanding(change: Change, place: number, failure: StepFailure): void {
  endFailed(change, place, failure);
  failUp(change, place, failure);
}

function endFailed(change: Change, place: number, { cause, isLate, message }: StepFailure): void {
  const ref = normalOf(place);
  const run = runAt(change, ref);
  if (hasFailed(run)) return;
  // A run that was never started can only have waited for the values of its templates.
  const from = run.state === 'pending' ? change.edit(ref, run, 'queued') : run;
  const ended = change.end(ref, from, isLate ? 'timed_out' : 'failed');
  const code = isLate ? 'TIMED_OUT' : codeOf(cause, nameAt(change, place));
  ended.code = FAILURE_CODES[code];
  ended.error = cause.code === code ? null : cause.code;
  ended.message = message;
  change.noteRun(isLate ? 'timed_out' : 'failed', ref, { message, code });
}

/** The number of an error that came from elsewhere says only that there was one. */
function codeOf({ code, step }: Cause, name: string): FailureName {
  return step === name && code in FAILURE_CODES ? (code as FailureName) : 'FAILED';
}

/** The rollback of a failed step is done while its scope goes forward: it was caught. */
export function forgiveUndone(change: Change, place: number): void {
  const cause = causeAt(change, place);
  const isLate = runAt(change, normalOf(place)).state === 'timed_out';
  forgive(change, place, { cause, isLate, message: cause.message });
}

/** The error of a step that failed, as its run has it. */
function causeAt(change: Change, place: number): Cause {
  const { code, error, message } = runAt(change, normalOf(place));
  const name = nameAt(change, place);
  return { code: error ?? failureName(code), step: name, message: message ?? '' };
}

/** Whether a failed step may be caught by steps of its own, or passed over. */
function isForgiven(change: Change, place: number, cause: Cause): boolean {
  const step = stepAt(change, place);
  return step?.optional === true || clauseFor(change, place, { step, cause }) >= 0;
}

/**
 * The clause that catches the error; -1: none does. A failure inside a clause is not caught again.
 */
function clauseFor(
  change: Change,
  place: number,
  { cause, step }: { step: StepPlan | undefined; cause: Cause },
): number {
  const clauses = step?.catch;
  if (clauses === undefined || isCaught(change, place)) return -1;
  return clauses.findIndex(({ errors }) => errors.includes(cause.code) || errors.includes('*'));
}

/** Whether what stands at a place failed, and steps ran because of it. */
export function isCaught(change: Indexed, place: number): boolean {
  return catchOf(change, place) !== null;
}

/** The scope of the steps that caught the error of a step; null: there is none. */
function catchOf(change: Indexed, place: number): number | null {
  return heldBy(change, place).caught[0] ?? null;
}

/** Forgives a failed step whose effects are undone: its clause runs, or it is passed over. */
function forgive(change: Change, place: number, failure: StepFailure): void {
  const { cause } = failure;
  const step = stepAt(change, place);
  const list = clauseFor(change, place, { step, cause });
  const lack = list < 0 ? null : lackOfRoom(change, place, [{ kind: 'catch', list }]);
  if (list >= 0 && lack === null) return beginCatch(change, place, { list, cause });
  if (lack !== null && step?.optional !== true) {
    const message = `${failure.message}; nothing catches it: ${lack}`;
    return failStanding(change, place, { ...failure, message });
  }
  endFailed(change, place, failure);
  const ref = normalOf(place);
  change.end(ref, runAt(change, ref), 'skipped');
  change.noteRun('passed_over', ref, { message: cause.message });
}

function beginCatch(
  change: Change,
  place: number,
  { cause, list }: { list: number; cause: Cause },
): void {
  const ref = normalOf(place);
  const { attempts, refused, spent, startedAt } = runAt(change, ref);
  const { as } = stepAt(change, place)?.catch?.[list] ?? { as: null };
  const next = runHolder(change, ref);
  // Steps that run have effects, also where the command itself was refused before it was entered.
  next.attempts = Math.max(attempts, refused + 1);
  next.spent = spent;
  next.startedAt = startedAt ?? change.now;
  next.endedAt = null;
  clearUndo(change, place);
  change.noteRun('caught', ref, { message: cause.message });
  const { code, message, step } = cause;
  const values = as === null ? null : { [as]: { code, message, step } };
  beginScope(change, place, { kind: 'catch', list, values });
}

/** A step failed and nobody catches it: so does the scope in which it lies. */
function failUp(change: Change, place: number, { cause, isLate, message }: StepFailure): void {
  const why = isLate ? 'step_timed_out' : 'step_failed';
  const { module, command } = stepAt(change, place)?.normal ?? {};
  const of = module === undefined ? '' : ` (${module}.${command})`;
  const word = isLate ? 'timed out' : 'failed';
  const sentence = `step ${nameAt(change, place)}${of} ${word}: ${message}`;
  failScope(change, scopeAt(change, place), { why, message: sentence, cause });
}
