import { hasFailed } from '../action-run.js';
import { advance } from '../advance.js';
import type { Change } from '../change.js';
import { addEdit, refuseEdit } from '../edit.js';
import type { ActionRef, RetryRequested } from '../event.js';
import { endHold, failedSteps } from '../fail-scope.js';
import { enterStep } from '../enter-step.js';
import { freshRuns } from '../first-runs.js';
import type { StepPlan } from '../flow.js';
import { stepAt } from '../places.js';
import { queueAction } from '../queue-action.js';
import { settleAlert } from '../raise-alert.js';
import { isCaught } from '../recover.js';
import { renewFrom } from '../renew.js';
import { forgetScopesOf } from '../scope-change.js';
import { TASK_STATUS } from '../status.js';
import type { ActionRun } from '../task.js';
import { APPLIED, type Verdict } from '../verdict.js';
import { waitsForDecision } from '../wake.js';
import { type ActionRule, admitAction } from './persons-action.js';

const RULE: ActionRule = {
  kind: 'retry_requested',
  verb: 'retry',
  legalIn: [TASK_STATUS.rollback_failed, TASK_STATUS.on_hold],
};

/**
 * A person gives what failed a fresh budget of attempts, restarts and time: rollbacks, or the steps
 * for which the task is on hold. One that went back down to a step goes forward again from there.
 */
export function retryRequested(change: Change, event: RetryRequested): Verdict {
  const { actor, parameters, reason } = event;
  const wish =
    parameters === undefined ? null : { actor, values: parameters, anew: failedSteps(change) };
  const verdict = admitAction(change, event, RULE) ?? (wish && refuseEdit(change, wish));
  if (verdict !== null) return verdict;
  change.note(RULE.kind, { actor, message: reason });
  if (wish !== null) addEdit(change, wish);
  if (waitsForDecision(change)) retryForward(change);
  else retryRollbacks(change);
  return APPLIED;
}

function retryForward(change: Change): void {
  const { hold, turned } = change;
  const failed = failedSteps(change);
  change.endHold();
  change.resetAt = change.now;
  const to = hold?.why === 'requested' ? (turned?.to ?? null) : null;
  if (to !== null) renewFrom(change, to);
  for (const place of failed) {
    // A new run has begun where the former was undone. Steps that failed beside it keep their runs.
    const { normal } = change.runs[place] ?? {};
    if (normal !== undefined && hasFailed(normal)) retryStep(change, place);
  }
  advance(change);
}

function retryStep(change: Change, place: number): void {
  const ref = { direction: 'normal', step: place } as const;
  const step = stepAt(change, place);
  const run = change.run(ref);
  if (step === undefined || run === null) return;
  if (isCaught(change, place)) renewStep(change, place, step);
  else change.putRun(ref, withFreshBudget(run));
  // What no process takes would start at once. It is entered when the task is resumed.
  if (change.paused !== null && step.normal === undefined) waitForTurn(change, place);
  else enterStep(change, place);
}

function waitForTurn(change: Change, place: number): void {
  const ref = { direction: 'normal', step: place } as const;
  const run = change.run(ref);
  if (run !== null && hasFailed(run)) change.edit(ref, run, 'pending');
}

/** Begins a caught step as after a reset: its effects were undone before its `catch` steps ran. */
function renewStep(change: Change, place: number, step: StepPlan): void {
  const { generation = 1 } = change.runs[place] ?? {};
  forgetScopesOf(change, place);
  change.putBoth(place, freshRuns(step, generation + 1));
}

function retryRollbacks(change: Change): void {
  settleAlert(change);
  change.runs.forEach(({ rollback }, step) => {
    if (rollback?.state !== 'failed') return;
    const ref: ActionRef = { direction: 'rollback', step };
    change.putRun(ref, withFreshBudget(rollback));
    queueAction(change, ref);
  });
  endHold(change);
  advance(change);
}

function withFreshBudget(run: ActionRun): ActionRun {
  return {
    ...run,
    code: 0,
    error: null,
    message: null,
    endedAt: null,
    spent: 0,
    crashes: 0,
    deadline: null,
    values: null,
  };
}
