import type { StepReport } from '../client/types.js';

/** Steps, and all steps that they hold, in every scope that was entered. */
export function allSteps(steps: readonly StepReport[]): readonly StepReport[] {
  return steps.flatMap((step) => {
    return [step, ...(step.scopes ?? []).flatMap((scope) => allSteps(scope.steps))];
  });
}
