import {
  isActive,
  mayHaveEffect,
  NOTHING_TO_UNDO,
  type StepRuns,
  UNDO_PENDING,
} from '../task/action-run.js';
import { isHeldBack, scopesBack, scopesFreedBy } from '../scopes/waiting-branches.js';
import type { Change } from '../change/change.js';
import { graphOf } from '../flow/program.js';
import { endEarly, endsNoMore, endsNow } from './early-end.js';
import { earlyEnd } from '../scopes/early-step.js';
import { endClean, endDone } from './end-scope.js';
import { enterStep, rulesAt } from './enter-step.js';
import { hasLocks } from '../moves/lock-gate.js';
import {
  endPlace,
  firstPlace,
  isOpen,
  scopeBelow,
  stepAt,
  stepsIn,
  TASK,
  wayAt,
} from '../scopes/step-at.js';
import { heldBy } from '../scopes/scope-index.js';
import { renewFrom } from '../moves/renew.js';
import { goesBackAt } from '../scopes/reset-part.js';
import type { Turn } from '../task/scope.js';
import { startsActions } from '../task/status.js';
import type { ScopeProgress } from '../change/progress.js';
import { tendChildren } from '../moves/tend-children.js';
import { undoForgiven } from '../moves/undo.js';

/** Queues the steps of a new task that need nothing, or ends a task that has no step. */
export function begin(change: Change): void {
  change.progress.plan(TASK, 'begin');
  advance(change);
}

/**
 * Queues what is ready now, in the direction its scope goes, and ends each scope of which nothing
 * is left, the task last. Called after every event that ended an action: only what that one may
 * have let start is looked at.
 */
export function advance(change: Change): void {
  lookAt(change, TASK);
  lookAtDue(change);
  if (endsNow(change)) {
    // Scopes that failed before wait no longer.
    for (const scope of scopesBack(change)) change.progress.lookOver(scope);
    lookAtDue(change);
  }
  if (endsNoMore(change)) {
    askAgain(change);
    endStanding(change);
    // Steps that were held back because the task was ending are still ready, in any scope.
    change.scopes.forEach(({ way }, scope) => {
      if (way === 'forward' && isOpen(change, scope)) change.progress.plan(scope, 'again');
    });
    change.progress.plan(TASK, 'again');
    lookAtDue(change);
  }
  endEarly(change);
}

/** Steps that let go of their locks as the task was about to end ask for them again. */
function askAgain(change: Change): void {
  for (const place of placesGoing(change)) hasLocks(change, place);
}

/** Steps that stood with some of their branches as the task was about to end fail after all. */
function endStanding(change: Change): void {
  for (const place of placesGoing(change)) {
    const { done, open } = heldBy(change, place);
    const [scope] = done;
    const isParallel = stepAt(change, place)?.parallel !== undefined;
    if (isParallel && scope !== undefined && open.length === 0) endDone(change, scope);
  }
}

/** Places of steps that are under way. */
function placesGoing(change: Change): number[] {
  return change.index.placesOpen(change.runs).filter((place) => {
    const normal = change.runs[place]?.normal;
    return normal !== undefined && isActive(normal) && wayAt(change, place) === 'forward';
  });
}

function lookAtDue(change: Change): void {
  for (let scope = change.progress.nextDue(); scope !== null; scope = change.progress.nextDue()) {
    lookAt(change, scope);
  }
}

/** The news that a look at a scope deals with. */
type News = Pick<ScopeProgress, 'ended' | 'todo'>;

function lookAt(change: Change, scope: number): void {
  const progress = change.progress.of(scope);
  const { ended, todo } = progress;
  progress.ended = null;
  progress.todo = null;
  if (todo === 'turn') {
    turnSteps(change, scope);
    for (const freed of scopesFreedBy(change, scope)) change.progress.lookOver(freed);
  }
  if (!startsActions(change) || !isOpen(change, scope)) return;
  if (isHeldBack(change, scope)) {
    // All of the scope is looked over once it is held back no longer.
    progress.settled = null;
    return;
  }
  const below = scopeBelow(change, scope);
  if (below?.kind === 'children') return tendChildren(change, below);
  const way = below?.way ?? change.way;
  if (way === 'forward') advanceForward(change, scope, { ended, todo });
  else advanceBack(change, scope, ended);
}

/** Calls off what goes forward in the scope, of a reset in its part alone, and marks what ran. */
function turnSteps(change: Change, scope: number): void {
  const end = endPlace(change, scope);
  for (let place = firstPlace(change, scope); place < end; place += 1) {
    if (scope === TASK && !goesBackAt(change, place)) continue;
    rulesAt(change, place).callOff(change, place);
    const undo = { direction: 'rollback', step: place } as const;
    if (change.run(undo)?.state !== NOTHING_TO_UNDO.state) continue;
    const normal = change.run({ direction: 'normal', step: place });
    if (normal !== null && mayHaveEffect(normal)) change.putRun(undo, UNDO_PENDING);
  }
}

function advanceForward(change: Change, scope: number, { ended, todo }: News): void {
  const first = firstPlace(change, scope);
  const { dependents, order, roots } = graphOf(stepsIn(change, scope));
  if (todo === 'again' || !startsActions(change.base)) {
    // Steps that ended while the task was on hold or paused were not followed.
    for (const step of order) {
      enterIfMet(change, scope, first + step);
      undoForgiven(change, first + step);
    }
  } else if (todo === 'begin') {
    for (const step of roots) enterIfMet(change, scope, first + step);
  } else {
    for (const place of ended ?? []) {
      undoForgiven(change, place);
      for (const step of dependents[place - first] ?? []) follow(change, scope, first + step);
    }
  }
  if (change.progress.of(scope).left > 0) return;
  if (scope !== TASK) return endDone(change, scope);
  change.endTask('succeeded');
  change.note('task_succeeded');
}

/** Enters a step of which a need was met; of one that a person passed over, what needs it. */
function follow(change: Change, scope: number, place: number): void {
  if (change.runs[place]?.normal.state !== 'skipped') return enterIfMet(change, scope, place);
  const first = firstPlace(change, scope);
  const { dependents } = graphOf(stepsIn(change, scope));
  const open = [place - first];
  const seen = new Set(open);
  for (const skipped of open) {
    for (const step of dependents[skipped] ?? []) {
      if (seen.has(step)) continue;
      seen.add(step);
      if (change.runs[first + step]?.normal.state === 'skipped') open.push(step);
      else enterIfMet(change, scope, first + step);
    }
  }
}

function enterIfMet(change: Change, scope: number, place: number): void {
  const first = firstPlace(change, scope);
  const step = stepsIn(change, scope)[place - first];
  const run = change.runs[place]?.normal;
  if (step === undefined || run?.state !== 'pending') return;
  // A step beside it may have put the task on hold just now.
  if (!startsActions(change)) return;
  if (!areMet(change, scope, step.needs) || earlyEnd(change) !== null) return;
  enterStep(change, place);
  if (scope === TASK) change.cursor = Math.max(change.cursor, place);
}

/**
 * Needs are mostly met in their order, so the last one is the likeliest to be missing. A step that
 * a person passed over ahead of its time is done once its own needs are met.
 */
function areMet(change: Change, scope: number, needs: readonly number[]): boolean {
  const first = firstPlace(change, scope);
  const { runs } = change;
  let skipped: number[] | null = null;
  for (let n = needs.length - 1; n >= 0; n -= 1) {
    const need = needs[n] ?? 0;
    const state = runs[first + need]?.normal.state;
    if (state === 'skipped') (skipped ??= []).push(need);
    else if (state !== 'succeeded') return false;
  }
  return skipped === null || areSkippedInTurn(change, scope, skipped);
}

/** Whether all that such steps need, directly or over others that were passed over, is done. */
function areSkippedInTurn(change: Change, scope: number, skipped: number[]): boolean {
  const first = firstPlace(change, scope);
  const steps = stepsIn(change, scope);
  const seen = new Set(skipped);
  for (const step of skipped) {
    for (const need of steps[step]?.needs ?? []) {
      const state = change.runs[first + need]?.normal.state;
      if (state !== 'succeeded' && state !== 'skipped') return false;
      if (state === 'succeeded' || seen.has(need)) continue;
      seen.add(need);
      skipped.push(need);
    }
  }
  return true;
}

/**
 * A step is settled when nothing of it, nor of anything that needs it, is still to be undone. A
 * step without a rollback is passed over but does not let what it needs be undone before what needs
 * it. The first look of a way back goes over all steps, later ones only over what has ended.
 */
function advanceBack(change: Change, scope: number, ended: number[] | null): void {
  const progress = change.progress.of(scope);
  const { settled } = progress;
  if (settled !== null && ended === null) return;
  const first = firstPlace(change, scope);
  const steps = stepsIn(change, scope);
  const { dependents, order } = graphOf(steps);
  const flags = settled?.flags.slice() ?? unsettled(change, scope, steps.length);
  let left = settled?.left ?? flags.reduce((sum, isSettled) => sum - isSettled, flags.length);
  // Last first: what needs a step is looked at before the step.
  const open = settled === null ? order.slice() : stepsAt(ended ?? [], first);
  const ready: number[] = [];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const both = change.runs[first + step];
    if (both === undefined || flags[step] === 1) continue;
    if (!areSettled(dependents[step] ?? [], flags)) continue;
    if (isToUndo(both)) ready.push(first + step);
    if (!isUndone(both)) continue;
    flags[step] = 1;
    left -= 1;
    if (settled !== null) open.push(...(steps[step]?.needs ?? []));
  }
  progress.settled = { flags, left };
  undoSteps(change, ready);
  if (left > 0) return;
  if (scope !== TASK) return endClean(change, scope);
  if (change.turned !== null && change.turned.to !== null) return endPart(change, change.turned);
  change.endTask('rolled_back');
  change.note('task_rolled_back', { message: change.message ?? undefined });
}

/** All that a person wanted undone is: a reset goes forward again, a rollback waits. */
function endPart(change: Change, { by, children, message, to, why }: Turn): void {
  if (why === 'reset') return renewFrom(change, to ?? 0, children);
  change.standing.putOnHold({ why: 'requested', by, until: null }, message);
  change.note('task_on_hold', { message });
}

/** Flags of a scope of which nothing was looked at: only what goes back is to be settled. */
function unsettled(change: Change, scope: number, count: number): Uint8Array {
  const flags = new Uint8Array(count);
  return scope === TASK ? flags.map((_, place) => (goesBackAt(change, place) ? 0 : 1)) : flags;
}

/** Positions in their scope's list of what stands at places. */
function stepsAt(places: number[], first: number): number[] {
  return first === 0 ? places : places.map((place) => place - first);
}

/** Dependents are mostly undone in list order, so the last is the likeliest to be left. */
function areSettled(steps: readonly number[], flags: Uint8Array): boolean {
  for (let n = steps.length - 1; n >= 0; n -= 1) if (flags[steps[n] ?? 0] !== 1) return false;
  return true;
}

function undoSteps(change: Change, ready: number[]): void {
  for (const place of ready.sort((a, b) => a - b)) {
    // It may be found more than once.
    const isPending = change.runs[place]?.rollback?.state === 'pending';
    if (isPending && hasLocks(change, place)) rulesAt(change, place).undo(change, place);
  }
}

function isToUndo({ normal, rollback }: StepRuns): boolean {
  return rollback?.state === 'pending' && !isActive(normal);
}

/** A step that never had an effect has nothing to undo. */
function isUndone({ normal, rollback }: StepRuns): boolean {
  if (isActive(normal)) return false;
  if (rollback === null || !mayHaveEffect(normal)) return true;
  return rollback.state === 'succeeded' || rollback.state === 'skipped';
}
