import { callOff } from '../moves/call-off.js';
import type { Change } from '../change/change.js';
import type { JsonObject } from '../json/json.js';
import { stepAt } from '../scopes/step-at.js';
import { actionAsks, type AnswerValues } from '../task/question.js';
import { runAt } from '../moves/scope-change.js';
import type { StepKind } from './kind.js';
import { normalOf } from '../task/action-ref.js';
import { undoAction } from '../moves/undo.js';

/** A step that is a command: whoever serves its module takes it. */
export const normal: StepKind = {
  asks: ({ normal: action }) => (action === undefined ? [] : actionAsks(action)),
  start: queueNormal,
  callOff,
  undo: undoAction,
  due: null,
  holds: null,
};

function queueNormal(change: Change, place: number, { parameters }: AnswerValues): void {
  const ref = normalOf(place);
  const run = runAt(change, ref);
  const next = change.queue(ref, run);
  const { expiresAfterMs, normal: action } = stepAt(change, place) ?? {};
  if (expiresAfterMs !== undefined) next.expiresAt = change.now + expiresAfterMs;
  // It was asked about: kept, so that every attempt and the rollback see the same.
  if (run.state !== 'queued') return;
  next.values = (parameters as JsonObject | undefined) ?? action?.parameters ?? {};
}
