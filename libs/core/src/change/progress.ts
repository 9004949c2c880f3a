import { isPassed } from '../scopes/task-index.js';
import { TASK } from '../scopes/step-at.js';
import type { ActionRef } from '../task/action-ref.js';
import type { RunState } from '../task/action-run.js';
import type { ScopeTally, Settled, TaskIndex } from '../task/task-index.js';

type Todo = 'begin' | 'turn' | 'again';

/** A scope on its way to the next document. */
export interface ScopeProgress {
  /** Places of which an action ended and what that lets start was not looked for yet. */
  ended: number[] | null;
  /** Steps whose normal action is neither done nor skipped. */
  left: number;
  /** Null: to be worked out when the scope goes back. */
  settled: Settled | null;
  /**
   * Work that is not carried out yet: its first steps start, or all of it turns, or every ready
   * step starts as it goes forward again. Null: none.
   */
  todo: Todo | null;
}

/**
 * How far each scope of a task has come, and which are to be looked at: `advance` follows what
 * ended, began or turned in a change. The object itself is the progress of the outermost scope.
 */
export class Progress implements ScopeProgress {
  ended: number[] | null = null;
  left: number;
  settled: Settled | null;
  todo: Todo | null = null;
  /** The scopes below the task that were met so far, by their numbers. */
  private met: Map<number, ScopeProgress> | null = null;
  /** Scopes below the task with something to look at, each once or more often. */
  private due: number[] | null = null;

  constructor(private readonly base: TaskIndex) {
    this.left = base.left;
    this.settled = base.settled;
  }

  /** How far a scope has come by now. */
  of(scope: number): ScopeProgress {
    return scope === TASK ? this : this.below(scope);
  }

  private below(scope: number): ScopeProgress {
    this.met ??= new Map();
    let progress = this.met.get(scope);
    if (progress === undefined) {
      const { left = 0, settled = null } = this.base.scopes[scope] ?? {};
      progress = { ended: null, left, settled, todo: null };
      this.met.set(scope, progress);
    }
    return progress;
  }

  /** An action of the step, which lies in this scope, ended in this state. */
  end(scope: number, { direction, step }: ActionRef, state: RunState): void {
    const progress = this.of(scope);
    if (direction === 'normal' && isPassed(state)) progress.left -= 1;
    this.follow(scope, step);
  }

  /** An action of the step, which lies in this scope, may let something start. */
  follow(scope: number, step: number): void {
    const progress = this.of(scope);
    if (progress.ended === null) progress.ended = [step];
    else progress.ended.push(step);
    if (scope !== TASK) this.lookAt(scope);
  }

  /** The scope begins, turns, or goes forward again. */
  plan(scope: number, todo: Todo): void {
    const progress = this.of(scope);
    progress.todo = todo;
    progress.settled = null;
    if (scope !== TASK) this.lookAt(scope);
  }

  /** The scope has begun with this many fresh steps, of which nothing is known. */
  renew(scope: number, left: number): void {
    const progress = this.of(scope);
    progress.left = left;
    progress.settled = null;
    progress.ended = null;
    progress.todo = null;
  }

  /** Something of a scope below the task is to be looked at. */
  lookAt(scope: number): void {
    if (this.due === null) this.due = [scope];
    else this.due.push(scope);
  }

  /** All of a scope below the task is to be looked at: it may have been held back for a while. */
  lookOver(scope: number): void {
    this.of(scope).settled = null;
    this.lookAt(scope);
  }

  /** The next scope with something to look at, the task itself last; null: there is none. */
  nextDue(): number | null {
    const scope = this.due?.pop();
    if (scope !== undefined) return scope;
    return this.ended === null && this.todo === null ? null : TASK;
  }

  /**
   * The tallies of the scopes of the next document. `isFollowed`: the task is neither on hold nor
   * paused. In these states ended steps are not followed, so the settled steps are computed again
   * later.
   */
  finish(isFollowed: boolean): ScopeTally & Pick<TaskIndex, 'scopes'> {
    const settled = isFollowed ? this.settled : null;
    return { left: this.left, settled, scopes: this.scopes(isFollowed) };
  }

  private scopes(isFollowed: boolean): readonly ScopeTally[] {
    const { scopes } = this.base;
    if (this.met === null) return isFollowed ? scopes : scopes.map(unsettled);
    const next = scopes.slice();
    // New scopes were met as they began, so in their order.
    for (const [scope, { left, settled }] of this.met) next[scope] = { left, settled };
    return isFollowed ? next : next.map(unsettled);
  }
}

function unsettled(tally: ScopeTally): ScopeTally {
  return tally.settled === null ? tally : { left: tally.left, settled: null };
}
