import { callOff } from '../moves/call-off.js';
import type { Change } from '../change/change.js';
import { asksOf } from '../task/plan-values.js';
import { excessWith } from '../moves/room.js';
import type { JsonObject } from '../json/json.js';
import { failStep } from '../moves/recover.js';
import { beginTask, clearUndo, nameAt, runAt, runHolder } from '../moves/scope-change.js';
import type { StepKind } from './kind.js';
import { normalOf } from '../task/action-ref.js';
import { undoAction } from '../moves/undo.js';

/** The rules that a kind of step without steps or a command of its own defines for itself. */
type Own = Pick<StepKind, 'start'> & Partial<Pick<StepKind, 'due'>>;

/** A kind of step that the core does by itself. */
export function leafKind({ due = null, start }: Own): StepKind {
  return { asks: asksOf, start, due, callOff, undo: undoAction, holds: null };
}

/** Has such a step begin. */
export function startLeaf(change: Change, place: number): void {
  const ref = normalOf(place);
  beginTask(change);
  runHolder(change, ref);
  clearUndo(change, place);
  change.noteRun('started', ref);
}

/** Such a step is done, with this output; one that the task cannot hold is a failure. */
export function succeedLeaf(change: Change, place: number, output: JsonObject | null): void {
  const ref = normalOf(place);
  const excess = output === null ? null : excessWith(change, output);
  if (excess !== null) {
    return failLeaf(change, place, { code: 'OUTPUT_TOO_LARGE', message: excess });
  }
  const run = runAt(change, ref);
  const running = run.state === 'waiting' ? resume(change, place) : run;
  const ended = change.end(ref, running, 'succeeded');
  ended.code = 0;
  ended.message = null;
  ended.output = output;
  change.noteRun('succeeded', ref);
}

function resume(change: Change, place: number): ReturnType<typeof runAt> {
  const ref = normalOf(place);
  const queued = change.edit(ref, runAt(change, ref), 'queued');
  return change.edit(ref, queued, 'running');
}

/** Such a step has failed. */
export function failLeaf(
  change: Change,
  place: number,
  { code, message }: { readonly code: string; readonly message: string },
): void {
  const cause = { code, step: nameAt(change, place), message };
  failStep(change, place, { cause, message, isLate: code === 'TIMED_OUT' });
}

/** Such a step waits until a moment, or, with null, until a person says so. */
export function waitLeaf(change: Change, place: number, until: number | null): void {
  const ref = normalOf(place);
  const next = change.edit(ref, runAt(change, ref), 'waiting');
  next.dueAt = until;
}
