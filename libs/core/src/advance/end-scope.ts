import { isActive } from '../task/action-run.js';
import { endCalledOff } from '../moves/call-off.js';
import type { Change } from '../change/change.js';
import { enterStep } from './enter-step.js';
import { earlyEnd } from '../scopes/early-step.js';
import { endUndo, failureIn, isRetried, undoNext } from '../moves/holder-back.js';
import { rulesOf } from '../kinds/table.js';
import { stepAt } from '../scopes/step-at.js';
import { standsAtEnd } from '../scopes/waiting-branches.js';
import { failStep, isCaught } from '../moves/recover.js';
import { renewStep } from '../moves/renew.js';
import { hasOpenScope, nameAt, putStage, runAt, scopeIn } from '../moves/scope-change.js';
import { normalOf, rollbackOf } from '../task/action-ref.js';
import { succeedHolder } from '../kinds/holder.js';

/** Every step of a scope below the task is done. */
export function endDone(change: Change, scope: number): void {
  putStage(change, scope, 'done');
  const { holder, kind } = scopeIn(change, scope);
  const step = stepAt(change, holder);
  if (kind === 'catch') succeedHolder(change, holder);
  else if (step !== undefined) rulesOf(step).holds?.done(change, scope);
}

/**
 * A scope below the task went back, and nothing of it is left to undo. The earlier scopes of its
 * step are undone next. Once they are, the step ends or begins again.
 */
export function endClean(change: Change, scope: number): void {
  putStage(change, scope, 'clean');
  const { holder } = scopeIn(change, scope);
  if (hasOpenScope(change, holder) || standsAtEnd(change, holder)) return;
  const message = `step ${nameAt(change, holder)} is undone`;
  if (undoNext(change, holder, { why: 'undone', message })) return;
  endUndo(change, holder);
  const forward = runAt(change, normalOf(holder));
  if (!isActive(forward)) change.noteRun('succeeded', rollbackOf(holder));
  else if (change.wants(normalOf(holder))) decide(change, holder);
  else endCalledOff(change, holder);
}

/** All that a step did is undone, as it failed or a person wants it again. */
function decide(change: Change, place: number): void {
  if (isRetried(change, place)) {
    renewStep(change, place);
    change.note('forward_again', { message: `new run of ${nameAt(change, place)}` });
    // Once the task has ended early, the step stands as one that never began.
    if (earlyEnd(change) === null) enterStep(change, place);
    return;
  }
  const turned = failureIn(change, place);
  const step = stepAt(change, place);
  if (turned === null || step === undefined) return endCalledOff(change, place);
  const { holds } = rulesOf(step);
  if (!isCaught(change, place) && holds?.again(change, place, turned) === true) return;
  const { cause, message } = turned;
  failStep(change, place, {
    cause: cause ?? { code: 'FAILED', step: step.name, message },
    message,
    isLate: turned.why === 'scope_timed_out',
  });
}
