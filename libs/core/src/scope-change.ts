import type { Draft } from './action-run.js';
import { invariant } from './assert.js';
import type { Change } from './change.js';
import type { ActionRef } from './event.js';
import { firstRunsOf } from './first-runs.js';
import { endPlace, firstPlace, scopeBelow, scopeOf, stepsIn } from './places.js';
import type { Scope, ScopeKind, Turn } from './scope.js';
import type { ActionRun } from './task.js';

/** Begins a round of the scope that a step holds, each of its steps with a fresh run. */
export function beginScope(change: Change, holder: number, kind: ScopeKind): void {
  const known = scopeOf(change, holder);
  const scope = known ?? change.scopes.length;
  const before = change.scopes[scope];
  const first = before?.first ?? change.runs.length;
  if (known !== null) forgetInner(change, known);
  const round = (before?.round ?? 0) + 1;
  putFresh(change, scope, { kind, holder, round, first, way: 'forward', turned: null });
  change.tally.plan(scope, 'begin');
}

/** Why a scope is to turn, and down to which step if that is not all of it. */
export type TurnWish = Pick<Turn, 'why' | 'message'> & Partial<Pick<Turn, 'to' | 'by'>>;

/**
 * Turns a scope: nothing new is started in it, and what it did is undone. Its steps follow when it
 * is looked at, which `advance` does.
 */
export function turnScope(
  change: Change,
  scope: number,
  { by = null, message, to = null, why }: TurnWish,
): void {
  const turned = { at: change.now, why, message, to, by };
  const before = scopeBelow(change, scope);
  if (before === null) {
    change.turn(turned);
    change.note('turned_back', { message });
  } else {
    const { first, holder, kind, round } = before;
    turnHolder(change, holder);
    change.putScope(scope, { kind, holder, round, first, way: 'back', turned });
    change.noteRun('turned_back', { direction: 'normal', step: holder }, { message });
  }
  change.tally.plan(scope, 'turn');
}

/** While a scope goes back, so does the step that holds it, and it is in no hurry any more. */
function turnHolder(change: Change, holder: number): void {
  const ref = { direction: 'normal', step: holder } as const;
  const forward = runAt(change, ref);
  if (forward.state === 'running') change.edit(ref, forward, 'running').dueAt = null;
  const undo = { direction: 'rollback', step: holder } as const;
  const back = runAt(change, undo);
  if (back.state === 'none') change.edit(undo, back, 'pending');
  runHolder(change, undo).dueAt = null;
}

/** Starts an action of a step that holds steps: no process takes it, the core itself does. */
export function runHolder(change: Change, ref: ActionRef): Draft<ActionRun> {
  const next = change.edit(ref, change.edit(ref, runAt(change, ref), 'queued'), 'running');
  next.startedAt ??= change.now;
  next.attempts += 1;
  next.spent += 1;
  return next;
}

/** The run of an action that a step must have. */
export function runAt(change: Change, ref: ActionRef): ActionRun {
  const run = change.run(ref);
  invariant(run !== null, `step ${ref.step} has no ${ref.direction} action`);
  return run;
}

/** Whether a scope goes forward or back now: it was entered and its holder waits for it. */
export function isOpen(change: Change, scope: number): boolean {
  const below = scopeBelow(change, scope);
  if (below === null) return true;
  const runs = change.runs[below.holder];
  return runs?.normal.state === 'running' || runs?.rollback?.state === 'running';
}

/** Leaves nothing of the scopes below one that begins anew but their blocks. */
function forgetInner(change: Change, scope: number): void {
  const first = firstPlace(change, scope);
  const end = endPlace(change, scope);
  for (const [inner, { holder, round }] of change.scopes.entries()) {
    if (holder >= first && holder < end && round > 0) forget(change, inner);
  }
}

function forget(change: Change, scope: number): void {
  const before = scopeBelow(change, scope);
  if (before === null) return;
  const { first, holder, kind } = before;
  forgetInner(change, scope);
  putFresh(change, scope, { kind, holder, round: 0, first, way: 'forward', turned: null });
}

/** A step is to run anew: of the scope that it held, if it did, nothing is left but the block. */
export function forgetScopeOf(change: Change, holder: number): void {
  const scope = scopeOf(change, holder);
  if (scope !== null) forget(change, scope);
}

function putFresh(change: Change, scope: number, next: Scope): void {
  change.putScope(scope, next);
  const steps = stepsIn(change, scope);
  change.putBlock(next.first, firstRunsOf(steps));
  const progress = change.tally.of(scope);
  progress.left = steps.length;
  progress.settled = null;
  progress.ended = null;
  progress.todo = null;
  // Outputs of a former round are gone.
  change.tally.contentBytes = null;
}
