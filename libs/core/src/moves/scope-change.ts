import { type ActionRun, type Draft, NOTHING_TO_UNDO } from '../task/action-run.js';
import { invariant } from '../assert.js';
import type { Change } from '../change/change.js';
import { firstRunsOf } from '../task/first-runs.js';
import { roundsHeld } from '../task/held-scopes.js';
import type { JsonObject } from '../json/json.js';
import { endPlace, firstPlace, scopeBelow, stepAt, stepsIn } from '../scopes/step-at.js';
import { heldBy, scopesOf } from '../scopes/scope-index.js';
import type { Scope, ScopeKind, Turn } from '../task/scope.js';
import { type ActionRef, normalOf, rollbackOf } from '../task/action-ref.js';

/** A scope that a step is to begin. */
export interface Beginning {
  readonly kind: ScopeKind;
  /** Which of its lists; default: the only one. */
  readonly list?: number;
  /** Values that its steps see besides those around it; default: none. */
  readonly values?: JsonObject | null;
}

/** Begins a scope that a step holds, each of its steps with a fresh run. */
export function beginScope(change: Change, holder: number, beginning: Beginning): void {
  const { kind, list = 0, values = null } = beginning;
  const held = heldBy(change, holder);
  const round = roundsHeld(held, change.scopes, { kind, list });
  const scope = freeBlock(change, holder, beginning) ?? change.scopes.length;
  const before = change.scopes[scope];
  const first = before?.first ?? change.runs.length;
  if (before !== undefined) forgetInner(change, scope);
  putFresh(change, scope, {
    kind,
    holder,
    list,
    round: round + 1,
    first,
    way: 'forward',
    turned: null,
    stage: 'open',
    values,
  });
  change.progress.plan(scope, 'begin');
}

/**
 * The scope whose block is taken again by one that a step is to begin: it left nothing behind.
 * Undefined: there is none.
 */
export function freeBlock(
  change: Change,
  holder: number,
  { kind, list = 0, values = null }: Beginning,
): number | undefined {
  return heldBy(change, holder).free.find((n) => {
    const other = scopeIn(change, n);
    return other.kind === kind && other.list === list && fits(change, n, values);
  });
}

/** Whether the block of a scope that left nothing behind has as many places as are wanted. */
function fits(change: Change, scope: number, values: JsonObject | null): boolean {
  if (scopeIn(change, scope).kind !== 'dynamic') return true;
  const steps = values?.['steps'];
  return Array.isArray(steps) && steps.length === stepsIn(change, scope).length;
}

/** Why a scope is to turn, and down to which step if that is not all of it. */
export type TurnWish = Pick<Turn, 'why' | 'message'> &
  Partial<Pick<Turn, 'to' | 'by' | 'cause' | 'children'>>;

/**
 * Turns a scope: nothing new is started in it, and what it did is undone. Its steps follow when it
 * is looked at, which `advance` does.
 */
export function turnScope(
  change: Change,
  scope: number,
  { by = null, cause = null, children, message, to = null, why }: TurnWish,
): void {
  const kept = children === undefined ? {} : { children };
  const turned = { at: change.now, why, message, cause, to, by, ...kept };
  const before = scopeBelow(change, scope);
  if (before === null) {
    change.standing.turn(turned);
    change.note('turned_back', { message });
  } else {
    turnHolder(change, before.holder);
    change.putScope(scope, { ...before, way: 'back', turned, stage: 'open' });
    change.noteRun('turned_back', normalOf(before.holder), { message });
  }
  change.progress.plan(scope, 'turn');
}

/** While a scope goes back, so does the step that holds it, and it is in no hurry any more. */
function turnHolder(change: Change, holder: number): void {
  const ref = normalOf(holder);
  const forward = runAt(change, ref);
  if (forward.state === 'running') change.edit(ref, forward, 'running').dueAt = null;
  runUndo(change, holder);
}

/** From now on a step that holds steps is being undone. */
export function runUndo(change: Change, holder: number): void {
  const undo = rollbackOf(holder);
  const back = runAt(change, undo);
  if (back.state === 'running') return;
  if (back.state === 'none') change.edit(undo, back, 'pending');
  runHolder(change, undo).dueAt = null;
}

/** Starts an action of a step that no process takes: the core itself does it. */
export function runHolder(change: Change, ref: ActionRef): Draft<ActionRun> {
  const run = runAt(change, ref);
  const queued = run.state === 'queued' ? run : change.edit(ref, run, 'queued');
  const next = change.edit(ref, queued, 'running');
  next.startedAt ??= change.now;
  next.attempts += 1;
  next.spent += 1;
  next.dueAt = null;
  next.dispatches = 0;
  next.orderAt = null;
  return next;
}

/** The run of an action that a step must have. */
export function runAt(change: Change, ref: ActionRef): ActionRun {
  const run = change.run(ref);
  invariant(run !== null, `step ${ref.step} has no ${ref.direction} action`);
  return run;
}

/** The scope with this number, which must be there. */
export function scopeIn(change: Change, scope: number): Scope {
  const found = change.scopes[scope];
  invariant(found !== undefined, `there is no scope ${scope}`);
  return found;
}

/** Notes how far a scope has come. */
export function putStage(change: Change, scope: number, stage: Scope['stage']): void {
  change.putScope(scope, { ...scopeIn(change, scope), stage });
}

/** Whether a step under way has none of its scopes on its way, and is not being undone. */
export function isBetweenScopes(change: Change, place: number): boolean {
  return !hasOpenScope(change, place) && change.run(rollbackOf(place))?.state !== 'running';
}

/** Whether a scope of the step is on its way. */
export function hasOpenScope(change: Change, place: number): boolean {
  return heldBy(change, place).open.length > 0;
}

/** Leaves nothing of the scopes below one that begins again but their blocks. */
function forgetInner(change: Change, scope: number): void {
  const first = firstPlace(change, scope);
  const end = endPlace(change, scope);
  for (let place = first; place < end; place += 1) forgetScopesOf(change, place);
}

function forget(change: Change, scope: number): void {
  forgetInner(change, scope);
  const before = scopeIn(change, scope);
  putFresh(change, scope, {
    ...before,
    round: 0,
    way: 'forward',
    turned: null,
    stage: 'open',
    // A block has places for steps, and only these say how many.
    values: before.kind === 'dynamic' ? before.values : null,
  });
}

/** A step is to run again: of the scopes that it held nothing is left but their blocks. */
export function forgetScopesOf(change: Change, holder: number): void {
  for (const scope of scopesOf(change, holder)) forget(change, scope);
}

function putFresh(change: Change, scope: number, next: Scope): void {
  change.putScope(scope, next);
  const steps = stepsIn(change, scope);
  change.putBlock(next.first, firstRunsOf(steps));
  change.progress.renew(scope, steps.length);
}

/** Has a step start with nothing to undo: it may have been undone before. */
export function clearUndo(change: Change, place: number): void {
  const undo = rollbackOf(place);
  if (change.run(undo) !== null) change.putRun(undo, NOTHING_TO_UNDO);
}

/** The task has begun, also where no process takes what began it. */
export function beginTask(change: Change): void {
  if (change.startedAt === null) change.standing.begin();
}

/** The name of the step at a place, for people. */
export function nameAt(change: Change, place: number): string {
  return stepAt(change, place)?.name ?? '';
}
