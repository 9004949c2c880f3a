import type { StepPlan } from '#core';

const known = new WeakMap<readonly StepPlan[], readonly (readonly number[])[]>();

/** For each step of a list, everything that needs it, directly or not. */
export function laterSteps(steps: readonly StepPlan[]): readonly (readonly number[])[] {
  const later = known.get(steps) ?? laterOf(steps);
  known.set(steps, later);
  return later;
}

function laterOf(plan: readonly StepPlan[]): readonly (readonly number[])[] {
  const later = plan.map(() => new Set<number>());
  const visit = (step: number, from: number): void => {
    for (const need of plan[step]?.needs ?? []) {
      later[need]?.add(from);
      visit(need, from);
    }
  };
  for (const step of plan.keys()) visit(step, step);
  return later.map((all) => [...all]);
}
