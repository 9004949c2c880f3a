import { hasFailed, isActive, mayHaveEffect, type StepRuns } from '../task/action-run.js';
import type { StepPlan } from '../flow/flow.js';
import { FlowProgram, graphOf } from '../flow/program.js';
import type { Task } from '../task/task.js';

/** For each step 1 where it is this one or needs it, directly or not, else 0. */
export function partFrom(steps: readonly StepPlan[], to: number): Uint8Array {
  const last = FlowProgram.of(steps).kept(noPart);
  if (last.to === to) return last.part;
  const part = new Uint8Array(steps.length);
  part[to] = 1;
  spread(steps, part);
  last.to = to;
  last.part = part;
  return part;
}

/** Asked for with each event while a task is reset; mostly about one step at a time. */
function noPart(): { to: number | null; part: Uint8Array } {
  return { to: null, part: new Uint8Array() };
}

/**
 * Whether a task that goes back does so at this place: a reset leaves most of the task alone, and
 * one that keeps child tasks the step itself to which it goes back.
 */
export function goesBackAt(
  { plan, turned }: Pick<Task, 'plan' | 'turned'>,
  place: number,
): boolean {
  const { children, to = null } = turned ?? {};
  if (to === null) return true;
  return partFrom(plan.steps, to)[place] === 1 && (place !== to || children === undefined);
}

/**
 * For each step 1 where a reset to a step gives it a new run: that step, every step whose effect is
 * not there any more, because it was undone or failed, and everything that needs one of these. Of
 * them only those that were reached.
 */
export function partToRenew(task: Pick<Task, 'plan' | 'runs'>, to: number): Uint8Array {
  const { runs } = task;
  const part = Uint8Array.from(task.plan.steps, (_, place) => (isGone(runs[place]) ? 1 : 0));
  part[to] = 1;
  spread(task.plan.steps, part);
  return part.map((isIn, place) => (isIn === 1 && wasReached(runs[place]) ? 1 : 0));
}

/** Whether the step was queued, or more has become of it. */
export function wasReached(runs: StepRuns | undefined): boolean {
  return runs !== undefined && runs.normal.state !== 'pending';
}

function isGone(runs: StepRuns | undefined): boolean {
  // A step that holds steps is tried again after its former try was undone.
  if (runs === undefined || !wasReached(runs) || isActive(runs.normal)) return false;
  const { normal, rollback } = runs;
  // A step that was passed over after its failure is undone, and counts as done all the same.
  if (normal.state === 'skipped') return false;
  const isUndone = rollback?.state === 'succeeded' || rollback?.state === 'skipped';
  return isUndone || (hasFailed(normal) && !isOwed(runs));
}

/**
 * Whether what the failed step did may still be there, and this run of it has to be undone, or is
 * being undone.
 */
function isOwed({ normal, rollback }: StepRuns): boolean {
  if (rollback === null) return false;
  return rollback.state !== 'none' || mayHaveEffect(normal);
}

/** Adds what needs a step of the part. */
function spread(steps: readonly StepPlan[], part: Uint8Array): void {
  // Each step stands after what it needs.
  for (const step of graphOf(steps).order) {
    if (steps[step]?.needs.some((need) => part[need] === 1) === true) part[step] = 1;
  }
}
