import { advance } from '../advance/advance.js';
import { type StepRuns, wasStarted } from '../task/action-run.js';
import type { Change } from '../change/change.js';
import { excessWith } from '../moves/room.js';
import type { SkipRequested } from '../task/event.js';
import { endHold } from '../moves/fail-scope.js';
import type { StepPlan } from '../flow/flow.js';
import { heldAt } from '../children/held-steps.js';
import { isOpen, scopeAt, wayAt } from '../scopes/step-at.js';
import { forgiveUndone } from '../moves/recover.js';
import { placeOf, placeOfStep, runIdOf } from '../scopes/run-id.js';
import { TASK_STATUS } from '../task/status.js';
import { APPLIED, illegal, listNames, type Refusal, type Verdict } from '../task/verdict.js';
import { type ActionRule, admitAction } from './persons-action.js';
import type { ActionRef } from '../task/action-ref.js';
import { failedSteps } from '../scopes/failed-steps.js';

const RULE: ActionRule = {
  kind: 'skip_requested',
  verb: 'skip',
  legalIn: [
    TASK_STATUS.not_started,
    TASK_STATUS.running,
    TASK_STATUS.rollback_failed,
    TASK_STATUS.on_hold,
    TASK_STATUS.paused,
  ],
  // Once for each step.
  isRare: true,
};

/**
 * A person has undone the step by hand, so that the way back goes on without it; or the step counts
 * as done, which is legal until it starts, and once it failed while the task is on hold for it.
 */
export function skipRequested(change: Change, event: SkipRequested): Verdict {
  // The name of one of the task's own steps means its present run.
  const step = placeOf(change, event.step) ?? placeOfStep(change, event.step) ?? NOWHERE;
  const verdict = admitAction(change, event, RULE) ?? refuseStep(change, event, step);
  if (verdict !== null) return verdict;
  const isUndo = change.runs[step]?.rollback?.state === 'failed';
  const ref: ActionRef = { direction: isUndo ? 'rollback' : 'normal', step };
  const { state } = change.run(ref) ?? {};
  skip(change, ref, event);
  if (isUndo && wayAt(change, step) === 'forward') forgiveUndone(change, step);
  if (isUndo) goOnBack(change);
  else if (state === 'failed' || state === 'timed_out') goOnForward(change);
  else advance(change);
  return APPLIED;
}

function skip(change: Change, ref: ActionRef, { actor, output, reason }: SkipRequested): void {
  const run = change.run(ref);
  if (run === null) return;
  const isDone = ref.direction === 'normal';
  const unapproved = isDone && heldAt(change, ref.step).steps.some(asksPeople);
  const ended = change.end(ref, run, 'skipped');
  if (isDone) {
    ended.code = 0;
    ended.message = null;
    ended.output = output ?? null;
  }
  change.noteRun(RULE.kind, ref, { actor, message: reason, unapproved });
}

function asksPeople({ approve }: StepPlan): boolean {
  return approve !== undefined;
}

function goOnBack(change: Change): void {
  if (change.runs.some(hasFailed)) return;
  change.alerting.settle();
  endHold(change);
  advance(change);
}

function goOnForward(change: Change): void {
  if (change.hold?.why !== 'step_failed' || failedSteps(change).length > 0) return;
  change.endHold();
  change.standing.resetAt = change.now;
  advance(change);
}

const NOWHERE = -1;

function refuseStep(change: Change, event: SkipRequested, step: number): Refusal | null {
  const runs = change.runs[step];
  if (runs === undefined) {
    const names = listNames(change.runs.map((_, place) => runIdOf(change, place)));
    const message = `there is no step ${event.step}; the steps are ${names}`;
    return { kind: 'refused', code: 'NO_SUCH_STEP', message };
  }
  if (hasFailed(runs)) {
    return event.output === undefined
      ? null
      : illegal('a step that counts as undone has no output');
  }
  if (isAhead(change, step) || failedSteps(change).includes(step)) {
    const { output } = event;
    const excess = output === undefined ? null : excessWith(change, output);
    return excess === null ? null : { kind: 'refused', code: 'TOO_LARGE', message: excess };
  }
  return illegal(stateRule(change, event, step));
}

/** Whether the step is to be done, and was not started so far. */
function isAhead(change: Change, step: number): boolean {
  const run = change.runs[step]?.normal;
  const isToDo = run?.state === 'pending' || (run?.state === 'queued' && !wasStarted(run));
  return isToDo && wayAt(change, step) === 'forward' && isOpen(change, scopeAt(change, step));
}

function stateRule(change: Change, { step: name }: SkipRequested, step: number): string {
  const { normal, rollback } = change.runs[step] ?? {};
  const failed = change.runs.flatMap((both, at) => (hasFailed(both) ? [runIdOf(change, at)] : []));
  if (failed.length > 0) {
    const state = rollback?.state ?? 'none';
    return (
      `only a step whose rollback failed can be skipped: ${listNames(failed)}; ` +
      `${name}'s is ${state}`
    );
  }
  if (normal?.state === 'waiting' && normal.look === 'outside') {
    return `${name} waits for its completion from outside: complete it instead`;
  }
  return (
    'only a step that was not started, or for which the task is on hold, can be skipped; ' +
    `${name} is ${normal?.state ?? 'gone'}`
  );
}

function hasFailed({ rollback }: StepRuns): boolean {
  return rollback?.state === 'failed';
}
