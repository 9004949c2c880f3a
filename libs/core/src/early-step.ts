import type { StepPlan } from './flow.js';
import { innerLists, stepAt } from './places.js';
import type { Task } from './task.js';

// Steps are immutable and shared by all tasks of a flow version.
const known = new WeakMap<readonly StepPlan[], boolean>();

function mayEndEarly(steps: readonly StepPlan[]): boolean {
  let may = known.get(steps);
  if (may === undefined) {
    may = steps.some((step) => {
      const isOpen = step.succeed !== undefined || step.dynamic !== undefined;
      return isOpen || innerLists(step).some(mayEndEarly);
    });
    known.set(steps, may);
  }
  return may;
}

/** The place of the step that ends the task early; null: none has, or what it did is undone. */
export function earlyEnd({
  plan,
  runs,
  scopes,
}: Pick<Task, 'plan' | 'runs' | 'scopes'>): number | null {
  if (!mayEndEarly(plan.steps)) return null;
  for (let place = 0; place < runs.length; place += 1) {
    const { normal, rollback } = runs[place] ?? {};
    const isDone = normal?.state === 'succeeded' && rollback?.state === 'none';
    if (isDone && stepAt({ plan, scopes }, place)?.succeed !== undefined) return place;
  }
  return null;
}
