import { advance } from '../advance/advance.js';
import type { Change } from '../change/change.js';
import { excessWith } from '../moves/room.js';
import { endUnstarted } from '../advance/end-attempt.js';
import { admitStep } from '../advance/enter-step.js';
import type { Answered } from '../task/event.js';
import { failLastDone } from '../moves/fail-scope.js';
import type { FailureName } from '../task/failure.js';
import type { JsonObject } from '../json/json.js';
import { rulesOf } from '../kinds/table.js';
import { stepAt } from '../scopes/step-at.js';
import type { Answer, AnswerValues } from '../task/question.js';
import { isAsking, questionId } from '../kinds/question-of.js';
import { failStep } from '../moves/recover.js';
import { nameAt, runAt } from '../moves/scope-change.js';
import { maySend } from '../task/status.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import type { ActionRef } from '../task/action-ref.js';

/**
 * The values of a step's templates are known, or one of them could not be evaluated: then the step
 * has failed, before it had any effect.
 */
export function answered(change: Change, event: Answered): Verdict {
  const { answer, question } = event;
  if (change.outcome !== null || !isAsking(change, event)) return ignored('not_queued');
  if (questionId(change.base, event) !== question) return ignored('stale_attempt');
  if (!maySend(change)) return ignored('paused');
  const message = 'values' in answer ? excessOf(change, answer.values) : sentenceOf(answer.fault);
  if (message !== null) fail(change, event, { code: codeOf(answer), message });
  else if ('values' in answer) goOn(change, event, answer.values);
  advance(change);
  return APPLIED;
}

function codeOf(answer: Answer): FailureName {
  return ('fault' in answer ? answer.fault.code : undefined) ?? 'EXPRESSION_FAILED';
}

type Fault = Extract<Answer, { fault: unknown }>['fault'];

function sentenceOf({ code, member, position, reason }: Fault): string {
  if (code !== undefined) return reason;
  const at = position === null ? '' : `, at position ${position}`;
  return `the expression in ${member} failed${at}: ${reason}`;
}

/** Why the task cannot hold the values of its templates; null: it can. */
function excessOf(change: Change, values: AnswerValues): string | null {
  return excessWith(change, values, 'the result of its expressions');
}

function goOn(change: Change, ref: ActionRef, values: AnswerValues): void {
  const run = runAt(change, ref);
  const step = stepAt(change, ref.step);
  if (step === undefined) return;
  if (ref.direction === 'rollback') {
    const next = change.queue(ref, run);
    next.values = values['parameters'] as JsonObject;
  } else if (run.state === 'running') {
    rulesOf(step).holds?.answered?.(change, ref.step, values);
  } else {
    admitStep(change, ref.step, values);
  }
}

function fail(
  change: Change,
  ref: ActionRef,
  { code, message }: { readonly code: FailureName; readonly message: string },
): void {
  if (ref.direction === 'rollback') return endUnstarted(change, ref, message);
  const step = nameAt(change, ref.step);
  const cause = { code, step, message };
  const isUnderWay = runAt(change, ref).state === 'running';
  if (isUnderWay) failLastDone(change, ref.step, { why: 'step_failed', message, cause });
  else failStep(change, ref.step, { cause, message, isLate: false });
}
