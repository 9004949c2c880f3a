import { roundsDone, wholeTally } from '../children/child-rounds.js';
import { tallyAt } from '../children/children.js';
import { beginFurther, isReplaced, roundWith } from '../moves/further-round.js';
import { undoNext } from '../moves/holder-back.js';
import { lackOfRoom } from '../moves/room.js';
import { runAt, runHolder } from '../moves/scope-change.js';
import { hasFailed, withFreshBudget } from '../task/action-run.js';
import { advance } from '../advance/advance.js';
import type { Change } from '../change/change.js';
import { type ActionAgain, addEdit, nextRun, refuseEdit, sameRun } from '../moves/edit.js';
import type { RetryRequested } from '../task/event.js';
import { endHold } from '../moves/fail-scope.js';
import { enterStep } from '../advance/enter-step.js';
import { stepAt } from '../scopes/step-at.js';
import { isCaught } from '../moves/recover.js';
import { renewFrom, renewStep } from '../moves/renew.js';
import type { ChildRef, ChildrenWish } from '../task/parent.js';
import { TASK_STATUS } from '../task/status.js';
import { APPLIED, illegal, type Refusal, type Verdict } from '../task/verdict.js';
import { waitsForDecision } from '../scopes/wake.js';
import { type ActionRule, admitAction } from './persons-action.js';
import { refusePastPivot } from './step-back.js';
import { type ActionRef, normalOf, rollbackOf } from '../task/action-ref.js';
import { failedSteps } from '../scopes/failed-steps.js';
import { queueUndo } from '../moves/undo.js';

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
  const { actor, children, parameters, reason } = event;
  const failed = failedSteps(change);
  const again = parameters === undefined ? [] : actionsToRetry(change, failed);
  const wish = parameters === undefined ? null : { actor, values: parameters, anew: failed, again };
  const verdict =
    admitAction(change, event, RULE) ??
    refuseBarred(change) ??
    refuseChildren(change, failed, children) ??
    (wish && refuseEdit(change, wish));
  if (verdict !== null) return verdict;
  change.note(RULE.kind, { actor, message: reason });
  if (wish !== null) addEdit(change, wish);
  if (waitsForDecision(change)) retryForward(change, event);
  else retryRollbacks(change);
  return APPLIED;
}

/** Of a child task that is not undone past a point of no return, no rollback failed. */
function refuseBarred(change: Change): Refusal | null {
  if (waitsForDecision(change) || rollbacksToRetry(change).length > 0) return null;
  return refusePastPivot(change, { to: -1, verb: RULE.verb, isWhole: true });
}

/** The actions that a retry starts. */
function actionsToRetry(change: Change, failed: readonly number[]): readonly ActionAgain[] {
  if (!waitsForDecision(change)) {
    return rollbacksToRetry(change).map((ref) => sameRun(change, ref));
  }
  const again = failed.map((place) => {
    return isOver(change, place) ? nextRun(change, place) : sameRun(change, normalOf(place));
  });
  const to = stepToRenew(change);
  return to === null ? again : [...again, nextRun(change, to)];
}

/** Place of the step to which the task was rolled back, and from which it goes on; null: none. */
function stepToRenew({ hold, turned }: Change): number | null {
  return hold?.why === 'requested' ? (turned?.to ?? null) : null;
}

function rollbacksToRetry({ runs }: Change): readonly ActionRef[] {
  return runs.flatMap(({ rollback }, place) => {
    return rollback?.state === 'failed' ? [rollbackOf(place)] : [];
  });
}

function retryForward(change: Change, event: RetryRequested): void {
  const to = stepToRenew(change);
  const failed = failedSteps(change);
  change.endHold();
  change.standing.resetAt = change.now;
  if (to !== null) renewFrom(change, to);
  for (const place of failed) {
    // A new run has begun where the former was undone. Steps that failed beside it keep their runs.
    const { normal } = change.runs[place] ?? {};
    if (keepsChildren(change, place)) retryChildren(change, place, event);
    else if (normal !== undefined && hasFailed(normal)) retryStep(change, place);
  }
  advance(change);
}

/**
 * Whether the run of a failed step is over: its effects were undone before its `catch` steps ran,
 * or would have run, had there been room. Another try of steps in it has runs of its own anyway.
 */
function isOver(change: Change, place: number): boolean {
  if (isCaught(change, place)) return true;
  const isUndone = change.runs[place]?.rollback?.state === 'succeeded';
  return isUndone && stepAt(change, place)?.rollback !== undefined;
}

function retryStep(change: Change, place: number): void {
  const ref = { direction: 'normal', step: place } as const;
  const step = stepAt(change, place);
  const run = change.run(ref);
  if (step === undefined || run === null) return;
  if (isOver(change, place)) renewStep(change, place);
  else change.putRun(ref, withFreshBudget(run));
  // A step without an action would start at once. It is entered when the task is resumed.
  const isEntered = change.paused === null || step.normal !== undefined;
  if (isEntered) enterStep(change, place);
  // Nor has it begun where it waits for locks that were let go as it failed.
  waitForTurn(change, place);
}

/** Has a step that has not begun again stand as one that never did. */
function waitForTurn(change: Change, place: number): void {
  const ref = { direction: 'normal', step: place } as const;
  const run = change.run(ref);
  if (run !== null && hasFailed(run)) change.edit(ref, run, 'pending');
}

function retryRollbacks(change: Change): void {
  change.alerting.settle();
  for (const ref of rollbacksToRetry(change)) {
    const rollback = change.run(ref);
    if (rollback === null) continue;
    change.putRun(ref, withFreshBudget(rollback));
    queueUndo(change, ref.step);
  }
  endHold(change);
  advance(change);
}

/** Whether a failed step still has child tasks: it waits for a person who says of which more. */
function keepsChildren(change: Change, place: number): boolean {
  const { normal } = change.runs[place] ?? {};
  return normal !== undefined && hasFailed(normal) && roundsDone(change, place).length > 0;
}

/** Why what a person wants of child tasks cannot be; null: it can. */
function refuseChildren(
  change: Change,
  failed: readonly number[],
  wish: ChildrenWish | undefined,
): Refusal | null {
  const kept = failed.filter((place) => keepsChildren(change, place));
  if (typeof wish === 'object') {
    const fault = faultOf(change, kept, wish);
    if (fault !== null) return illegal(fault);
  } else if (wish !== undefined && !waitsForDecision(change)) {
    return illegal('retry takes `children` only while the task is on hold for a failed step');
  }
  const further = kept.filter((place) => modeAt(change, place, wish) !== 'all');
  const lacks = further.map((place) => lackOfRoom(change, place, [{ kind: 'children' }]));
  const lack = lacks.find((sentence) => sentence !== null) ?? null;
  return lack === null ? null : illegal(lack);
}

/** The mode in which a failed step begins child tasks again. */
function modeAt(change: Change, place: number, wish: ChildrenWish | undefined): ChildrenWish {
  if (typeof wish === 'object') return roundWith(change, place, wish) < 0 ? 'failed' : wish;
  const tally = tallyAt(change, place);
  const hasAny = tally !== null && wholeTally(tally).succeeded > 0;
  return wish ?? (hasAny ? 'failed' : 'all');
}

/** Why one child task cannot be begun again by itself; null: it can. */
function faultOf(change: Change, kept: readonly number[], wish: ChildRef): string | null {
  const place = kept.find((one) => roundWith(change, one, wish) >= 0);
  if (place === undefined) {
    return 'this child task belongs to no step that the task is on hold for: retry without it';
  }
  if (!isReplaced(change, place, wish)) return null;
  return 'the item of this child task was started again: name its latest child task';
}

/** Begins child tasks of a failed step again, beside those that are to stay. */
function retryChildren(change: Change, place: number, event: RetryRequested): void {
  const ref = normalOf(place);
  const run = runAt(change, ref);
  const { values } = run;
  change.putRun(ref, { ...withFreshBudget(run), values });
  const mode = modeAt(change, place, event.children);
  runHolder(change, ref);
  change.noteRun('started', ref);
  if (mode === 'all') undoFirst(change, place, event);
  else beginFurther(change, place, mode);
}

/** All that the step did is undone, and then it is entered as if for the first time. */
function undoFirst(change: Change, place: number, { actor: by, reason }: RetryRequested): void {
  const message = `retried with all child tasks by ${by}: ${reason}`;
  undoNext(change, place, { why: 'retried', by, message });
}
