import type { Change } from '../change/change.js';
import { freshRuns } from '../task/first-runs.js';
import { hasStanding, reopen } from './further-round.js';
import type { ChildrenAnew } from '../task/parent.js';
import { stepAt, TASK } from '../scopes/step-at.js';
import { partToRenew, wasReached } from '../scopes/reset-part.js';
import { forgetScopesOf } from './scope-change.js';
import { isPassed } from '../scopes/task-index.js';

/**
 * Turns the task forward and gives everything that a reset to a step concerns a new run, of the
 * next generation. The journal alone keeps the former runs. With `anew` the step itself keeps its
 * run, and begins these child tasks of it again. `advance` then queues the steps that are ready.
 */
export function renewFrom(change: Change, to: number, anew?: ChildrenAnew): void {
  const { steps } = change.plan;
  const part = partToRenew(change, to);
  const isKept = anew !== undefined && hasStanding(change, to);
  const names: string[] = [];
  for (const [place, step] of steps.entries()) {
    if (part[place] !== 1) continue;
    if (isKept && place === to) reopen(change, place, anew);
    else renewStep(change, place);
    names.push(isKept && place === to ? `child tasks of ${step.name}` : step.name);
  }
  const { progress } = change;
  const own = change.runs.slice(0, steps.length);
  progress.left = own.filter(({ normal }) => !isPassed(normal.state)).length;
  progress.ended = null;
  progress.plan(TASK, 'again');
  change.cursor = Math.max(0, own.findLastIndex(wasReached));
  change.standing.turnForward();
  change.note('forward_again', { message: `new runs of ${names.join(', ')}` });
}

/** Gives a step of which nothing is left a new run, of the next generation. */
export function renewStep(change: Change, place: number): void {
  const step = stepAt(change, place);
  const before = change.runs[place];
  if (step === undefined || before === undefined) return;
  forgetScopesOf(change, place);
  change.putBoth(place, freshRuns(step, before.generation + 1));
}
