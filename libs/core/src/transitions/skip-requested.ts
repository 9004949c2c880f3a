import { catchUp } from '../advance.js';
import type { Change } from '../change.js';
import type { SkipRequested } from '../event.js';
import { settleAlert } from '../raise-alert.js';
import { placeOf, placeOfStep, runIdOf } from '../run-id.js';
import { TASK_STATUS } from '../status.js';
import type { StepRuns } from '../task.js';
import { APPLIED, listNames, type Refusal, type Verdict } from '../verdict.js';
import { type ActionRule, admitAction } from './persons-action.js';

const RULE: ActionRule = {
  kind: 'skip_requested',
  verb: 'skip',
  legalIn: [TASK_STATUS.rollback_failed],
  // Once for each step.
  isRare: true,
};

/** A person has undone the step by hand: the way back goes on without it. */
export function skipRequested(change: Change, event: SkipRequested): Verdict {
  // The name of one of the task's own steps means its present run.
  const step = placeOf(change, event.step) ?? placeOfStep(change, event.step) ?? NOWHERE;
  const verdict = admitAction(change, event, RULE) ?? refuseStep(change, event, step);
  if (verdict !== null) return verdict;
  const ref = { direction: 'rollback', step } as const;
  const run = change.run(ref);
  if (run !== null) change.end(ref, run, 'skipped');
  change.noteRun(RULE.kind, ref, { actor: event.actor, message: event.reason });
  if (change.runs.some(hasFailed)) return APPLIED;
  settleAlert(change);
  change.endHold();
  catchUp(change);
  return APPLIED;
}

const NOWHERE = -1;

function refuseStep(change: Change, event: SkipRequested, step: number): Refusal | null {
  if (step === NOWHERE) {
    const names = listNames(change.runs.map((_, place) => runIdOf(change, place)));
    const message = `there is no step ${event.step}; the steps are ${names}`;
    return { kind: 'refused', code: 'NO_SUCH_STEP', message };
  }
  const state = change.runs[step]?.rollback?.state ?? 'none';
  if (state === 'failed') return null;
  const failed = change.runs.flatMap((both, at) => (hasFailed(both) ? [runIdOf(change, at)] : []));
  const names = listNames(failed);
  const message = `only a step whose rollback failed can be skipped: ${names}; ${event.step}'s is ${state}`;
  return { kind: 'refused', code: 'ILLEGAL_ACTION', message };
}

function hasFailed({ rollback }: StepRuns): boolean {
  return rollback?.state === 'failed';
}
