import { earlyEnd } from './early-step.js';
import { type Placed, scopeAt, scopeBelow, stepAt, wayAt } from './step-at.js';
import { heldBy } from './scope-index.js';
import type { Scope } from '../task/scope.js';
import type { Task } from '../task/task.js';

/** The parts of a task that say which of its branches wait for each other. */
type Branched = Placed & Pick<Task, 'locks'>;

/**
 * Whether nothing of a scope is undone for now: the branch in which it lies has failed, and is to
 * wait until the branches beside it have ended. A step that holds locks under way does not wait, as
 * others may need the same locks, nor does anything in a task that is about to end early.
 */
export function isHeldBack(task: Branched, scope: number): boolean {
  for (let at = scope, below = scopeBelow(task, at); below !== null;) {
    const { holder } = below;
    if (waitsForOthers(task, below)) return earlyEnd(task) === null;
    if (task.locks.some(({ heldAt, step }) => step === holder && heldAt !== null)) return false;
    at = scopeAt(task, holder);
    below = scopeBelow(task, at);
  }
  return false;
}

/** Whether a scope is a branch that goes back, while one that it is to wait for goes forward. */
function waitsForOthers(task: Placed, { holder, kind, way }: Scope): boolean {
  if (kind !== 'branch' || way === 'forward') return false;
  return stepAt(task, holder)?.onBranchFailure === 'wait' && hasOpenBranch(task, holder);
}

/**
 * The outermost branch around a place that is undone as soon as it has ended, because one beside it
 * has failed; null: there is none.
 */
export function branchToUndo(task: Placed, place: number): number | null {
  const scope = scopeAt(task, place);
  const below = scopeBelow(task, scope);
  if (below === null) return null;
  const isGoing = below.kind === 'branch' && below.way === 'forward';
  const isLost = isGoing && hasFailedBranch(task, below.holder);
  return branchToUndo(task, below.holder) ?? (isLost ? scope : null);
}

/**
 * Whether branches of a step stand though others failed: the task is about to end early, and the
 * step is not undone itself.
 */
export function standsAtEnd(task: Placed & Pick<Task, 'turned' | 'way'>, holder: number): boolean {
  if (stepAt(task, holder)?.parallel === undefined || earlyEnd(task) === null) return false;
  return heldBy(task, holder).done.length > 0 && wayAt(task, holder) === 'forward';
}

function hasFailedBranch(task: Placed, holder: number): boolean {
  return heldBy(task, holder).numbers.some((scope) => task.scopes[scope]?.way === 'back');
}

function hasOpenBranch(task: Placed, holder: number): boolean {
  return heldBy(task, holder).open.some((scope) => task.scopes[scope]?.way === 'forward');
}

/** Scopes that may have waited for one that has ended now, by their numbers. */
export function scopesFreedBy(task: Placed, scope: number): readonly number[] {
  const below = scopeBelow(task, scope);
  if (below?.kind !== 'branch' || hasOpenBranch(task, below.holder)) return NONE;
  if (stepAt(task, below.holder)?.onBranchFailure !== 'wait') return NONE;
  return scopesBack(task);
}

/** Every scope below the task that goes back. */
export function scopesBack({ scopes }: Pick<Task, 'scopes'>): readonly number[] {
  return Array.from(scopes.keys()).filter((scope) => {
    const { stage, way } = scopes[scope] as Scope;
    return way === 'back' && stage === 'open';
  });
}

const NONE: readonly number[] = Object.freeze([]);
