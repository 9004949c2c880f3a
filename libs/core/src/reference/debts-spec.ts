import { invariant } from '../assert.js';
import { runOf } from '../scopes/dispatch.js';
import { ancestorsOf } from '../flow/program.js';
import { firstPlace, scopeAt, scopeBelow, stepAt, stepsIn } from '../scopes/step-at.js';
import type { Turn } from './random-history-spec.js';
import type { Task } from '../task/task.js';
import type { ActionRef } from '../task/action-ref.js';

/** Runs that may have had an effect and are not undone: a second account beside the core's. */
export class Debts {
  /** Runs with a rollback that may have had an effect. */
  readonly owed = new Set<string>();
  private readonly done = new Set<string>();
  private readonly started = new Map<string, number>();
  private readonly refused = new Map<string, number>();

  /**
   * How many commands of present rounds have succeeded and were not undone; those in a step that a
   * person passed over are left out.
   */
  standing(task: Task): number {
    return [...this.done].filter((run) => isCurrent(task, run) && !isSkipped(task, run)).length;
  }

  /** An attempt was claimed. */
  begin(task: Task, ref: ActionRef): void {
    const run = keyOf(task, ref.step);
    if (ref.direction === 'normal') {
      if (isLook(task, ref)) return;
      count(this.started, run);
      if (stepAt(task, ref.step)?.rollback) this.owed.add(run);
      return;
    }
    invariant(this.owed.has(run), `${run} has an effect that can be undone`);
    const later = followersOf(task, ref.step);
    const left = [...this.owed].find((each) => later.some((key) => isWithin(each, key)));
    invariant(left === undefined, `${left} is undone before ${run}, which it followed`);
  }

  /** The attempt ends by this turn, unless its token is stale. */
  end(task: Task, ref: ActionRef & { readonly token: number }, turn: Turn): void {
    if (runOf(task, ref)?.lease?.token !== ref.token) return;
    const run = keyOf(task, ref.step);
    const isDone = turn === 'done' || turn === 'late';
    if (isDone && ref.direction === 'normal') this.done.add(run);
    if (isDone && ref.direction === 'rollback') {
      this.owed.delete(run);
      this.done.delete(run);
    }
    if (turn !== 'refused' || ref.direction === 'rollback' || isLook(task, ref)) return;
    if (count(this.refused, run) === this.started.get(run)) this.owed.delete(run);
  }

  /** The task moved: what a round did is undone before another round begins. */
  follow(task: Task): void {
    const left = [...this.owed].find((run) => !isCurrent(task, run));
    invariant(left === undefined, `${left} is not undone, and its scope has begun anew`);
  }
}

function isLook(task: Task, ref: ActionRef): boolean {
  return runOf(task, ref)?.look !== 'none';
}

function count(counts: Map<string, number>, key: string): number {
  const now = (counts.get(key) ?? 0) + 1;
  counts.set(key, now);
  return now;
}

/** A run by place and generation, and by the rounds of the scopes around it: `3~1#1/7~1#2/9~1`. */
function keyOf(task: Task, place: number): string {
  const below = scopeBelow(task, scopeAt(task, place));
  const own = `${place}~${task.runs[place]?.generation}`;
  return below === null ? own : `${keyOf(task, below.holder)}#${below.round}/${own}`;
}

function isCurrent(task: Task, run: string): boolean {
  const place = Number.parseInt(run.slice(run.lastIndexOf('/') + 1), 10);
  return keyOf(task, place) === run;
}

function isSkipped(task: Task, run: string): boolean {
  return task.runs[Number.parseInt(run, 10)]?.normal.state === 'skipped';
}

/** The steps that need a step, directly or not, and so were started after it. */
function followersOf(task: Task, place: number): readonly string[] {
  const scope = scopeAt(task, place);
  const first = firstPlace(task, scope);
  const steps = stepsIn(task, scope);
  const later = steps.flatMap((_, n) => {
    return ancestorsOf(steps, n).includes(place - first) ? [keyOf(task, first + n)] : [];
  });
  const below = scopeBelow(task, scope);
  return below === null ? later : [...later, ...followersOf(task, below.holder)];
}

/** Whether a run is this one, or one of a step that it holds. */
function isWithin(run: string, outer: string): boolean {
  return run === outer || run.startsWith(`${outer}#`);
}
