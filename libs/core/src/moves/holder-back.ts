import { heldBy, scopesOf } from '../scopes/scope-index.js';
import { callOff, endCalledOff } from './call-off.js';
import type { Change } from '../change/change.js';
import type { Turn } from '../task/scope.js';
import {
  hasOpenScope,
  isBetweenScopes,
  nameAt,
  runAt,
  runUndo,
  scopeIn,
  type TurnWish,
  turnScope,
} from './scope-change.js';
import { normalOf, rollbackOf } from '../task/action-ref.js';

/** A step that holds steps stops going forward, and so does all that is in it. */
export function callOffHolder(change: Change, place: number): void {
  const open = heldBy(change, place).open.filter((scope) => {
    return scopeIn(change, scope).way === 'forward';
  });
  const message = 'called off: the step around it goes back';
  for (const scope of open) turnScope(change, scope, { why: 'called_off', message });
  if (open.length > 0) return;
  if (runAt(change, normalOf(place)).state !== 'running') callOff(change, place);
  // It may be on its way back already.
  else if (isBetweenScopes(change, place)) endCalledOff(change, place);
  // Of a task that was about to end early, branches may have stood beside those that failed.
  else if (!hasOpenScope(change, place)) undoNext(change, place, { why: 'called_off', message });
}

/** Everything that followed a step that holds steps is undone: so is what it holds, last first. */
export function undoHolder(change: Change, place: number): void {
  const message = `step ${nameAt(change, place)} is undone`;
  if (undoNext(change, place, { why: 'undone', message })) return;
  endUndo(change, place);
  change.noteRun('succeeded', rollbackOf(place));
}

/**
 * Turns what a step holds and is done: of branches all, else the scope that came last. False: there
 * is none, so that nothing is left to undo.
 */
export function undoNext(change: Change, place: number, turn: TurnWish): boolean {
  const { done } = heldBy(change, place);
  const last = done.at(-1);
  if (last === undefined) return false;
  const isBranch = scopeIn(change, last).kind === 'branch';
  for (const scope of isBranch ? done : [last]) turnScope(change, scope, turn);
  return true;
}

/** Whether one scope of a step ran after another. Its `catch` scope runs after all others. */
function isAfter(change: Change, scope: number, other: number): boolean {
  const [one, two] = [scopeIn(change, scope), scopeIn(change, other)];
  return one.kind === two.kind ? one.round > two.round : one.kind === 'catch';
}

/** Nothing of a step is left to undo. */
export function endUndo(change: Change, place: number): void {
  runUndo(change, place);
  const undo = rollbackOf(place);
  change.end(undo, runAt(change, undo), 'succeeded');
}

const FAILED: ReadonlySet<Turn['why']> = new Set([
  'step_failed',
  'step_timed_out',
  'scope_timed_out',
]);

/** Why what a step holds has failed: of branches the first that did, else the last scope. */
export function failureIn(change: Change, place: number): Turn | null {
  let found: { readonly scope: number; readonly turned: Turn } | null = null;
  for (const scope of scopesOf(change, place)) {
    const { kind, turned } = scopeIn(change, scope);
    if (turned === null || !FAILED.has(turned.why)) continue;
    const isBefore = kind === 'branch' && found !== null && turned.at < found.turned.at;
    const isLater = kind !== 'branch' && found !== null && isAfter(change, scope, found.scope);
    if (found === null || isBefore || isLater) found = { scope, turned };
  }
  return found?.turned ?? null;
}

/** Whether a person has a step go back so that it begins again. */
export function isRetried(change: Change, place: number): boolean {
  return scopesOf(change, place).some((scope) => scopeIn(change, scope).turned?.why === 'retried');
}
