import type { Change } from '../change.js';
import type { SkipRequested } from '../event.js';
import { settleAlert } from '../raise-alert.js';
import { TASK_STATUS } from '../status.js';
import { resumeWayBack } from '../turn-back.js';
import { APPLIED, type Refusal, type Verdict } from '../verdict.js';
import { type ActionRule, admitAction } from './persons-action.js';

const RULE: ActionRule = {
  kind: 'skip_requested',
  verb: 'skip',
  legalIn: [TASK_STATUS.rollback_failed],
};

/** A person has undone the step by hand: the way back goes on without it. */
export function skipRequested(change: Change, event: SkipRequested): Verdict {
  const step = change.base.plan.steps.findIndex(({ name }) => name === event.step);
  const verdict = admitAction(change, event, RULE) ?? refuseStep(change, event, step);
  if (verdict !== null) return verdict;
  const ref = { direction: 'rollback', step } as const;
  const run = change.run(ref);
  if (run !== null) change.end(ref, run, 'skipped');
  change.noteRun(RULE.kind, ref, { actor: event.actor, message: event.reason });
  if (change.runs.some(({ rollback }) => rollback?.state === 'failed')) return APPLIED;
  settleAlert(change);
  resumeWayBack(change);
  return APPLIED;
}

function refuseStep(change: Change, event: SkipRequested, step: number): Refusal | null {
  if (step < 0) {
    const names = change.base.plan.steps.map(({ name }) => name).join(', ');
    const message = `there is no step ${event.step}; the steps are ${names}`;
    return { kind: 'refused', code: 'NO_SUCH_STEP', message };
  }
  const state = change.run({ direction: 'rollback', step })?.state ?? 'none';
  if (state === 'failed') return null;
  const failed = change.base.plan.steps.filter((_, at) => {
    return change.run({ direction: 'rollback', step: at })?.state === 'failed';
  });
  const names = failed.map(({ name }) => name).join(', ');
  const message = `only a step whose rollback failed can be skipped: ${names}; ${event.step}'s is ${state}`;
  return { kind: 'refused', code: 'ILLEGAL_ACTION', message };
}
