import type { ActionRef } from '../task/event.js';
import { TASK } from '../scopes/step-at.js';
import { sizeOfRuns } from '../task/task-size.js';
import { isPassed, type ScopeTally, type Settled, STRETCH, sumUp, type Tally } from '../scopes/tally.js';
import type { RunState, StepRuns } from '../task/task.js';

type Todo = 'begin' | 'turn' | 'again';

/** A scope on its way to the next document. */
export interface Progress {
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

/** The tally of a task on its way to its next document, and the progress of its outermost scope. */
export class TallyChange implements Progress {
  ended: number[] | null = null;
  left: number;
  settled: Settled | null;
  todo: Todo | null = null;
  /** Bytes that the document before held; null: nobody has asked for them so far. */
  contentBytes: number | null;
  /** Stretches with a new run, each once or more often. */
  private touched: number[] | null = null;
  /** The scopes below the task that were met so far, by their numbers. */
  private met: Map<number, Progress> | null = null;
  /** Scopes below the task with something to look at, each once or more often. */
  private due: number[] | null = null;

  constructor(private readonly base: Tally) {
    this.left = base.left;
    this.contentBytes = base.contentBytes;
    this.settled = base.settled;
  }

  /** How far a scope has come by now. */
  of(scope: number): Progress {
    return scope === TASK ? this : this.below(scope);
  }

  private below(scope: number): Progress {
    this.met ??= new Map();
    let progress = this.met.get(scope);
    if (progress === undefined) {
      const { left = 0, settled = null } = this.base.scopes[scope] ?? {};
      progress = { ended: null, left, settled, todo: null };
      this.met.set(scope, progress);
    }
    return progress;
  }

  /** A run of the step is another object now. */
  touch(step: number): void {
    const stretch = Math.floor(step / STRETCH);
    if (this.touched === null) this.touched = [stretch];
    else if (this.touched.at(-1) !== stretch) this.touched.push(stretch);
  }

  /** Places at which something may be queued, running or waiting by now. */
  placesOpen({ length }: readonly StepRuns[]): number[] {
    const touched = new Set(this.touched);
    const places: number[] = [];
    for (let n = 0; n * STRETCH < length; n += 1) {
      if (this.base.stretches[n]?.isOpen !== true && !touched.has(n)) continue;
      const end = Math.min((n + 1) * STRETCH, length);
      for (let place = n * STRETCH; place < end; place += 1) places.push(place);
    }
    return places;
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

  /** How many bytes these runs hold more than those of the document before. */
  grownBy(runs: readonly StepRuns[]): number {
    let sum = 0;
    for (const n of new Set(this.touched)) {
      const end = Math.min((n + 1) * STRETCH, runs.length);
      for (let place = n * STRETCH; place < end; place += 1) {
        const [old, both] = [this.base.runs[place], runs[place]];
        if (old === both) continue;
        if (both !== undefined) sum += sizeOfRuns(both);
        if (old !== undefined) sum -= sizeOfRuns(old);
      }
    }
    return sum;
  }

  /** The scope begins, turns, or goes forward again. */
  plan(scope: number, todo: Todo): void {
    const progress = this.of(scope);
    progress.todo = todo;
    progress.settled = null;
    if (scope !== TASK) this.lookAt(scope);
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
   * The tally of the next document: stretches that were touched are summed up anew. `isFollowed`:
   * the task is neither on hold nor paused. In these states ended steps are not followed, so the
   * settled steps are computed again later.
   */
  finish(runs: readonly StepRuns[], isFollowed: boolean): Tally {
    let { stretches } = this.base;
    if (this.touched !== null) {
      const summed = stretches.slice();
      for (const n of this.touched) summed[n] = sumUp(runs, n * STRETCH);
      stretches = summed;
    }
    const { contentBytes: before, left } = this;
    const contentBytes = before === null ? null : before + this.grownBy(runs);
    const settled = isFollowed ? this.settled : null;
    return { runs, stretches, left, contentBytes, settled, scopes: this.scopes(isFollowed) };
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
