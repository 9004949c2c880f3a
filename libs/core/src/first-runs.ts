import { NOTHING_TO_UNDO, PENDING_RUN } from './action-run.js';
import type { StepPlan } from './flow.js';
import type { StepRuns } from './task.js';

// Tasks of one flow version start with the same runs; sharing them lets stores know them by
// identity.
const firstRuns = new WeakMap<readonly StepPlan[], readonly StepRuns[]>();

/** The runs of steps of which none was reached; the same objects for all tasks of these steps. */
export function firstRunsOf(steps: readonly StepPlan[]): readonly StepRuns[] {
  const found = firstRuns.get(steps);
  if (found !== undefined) return found;
  const runs = steps.map((step) => freshRuns(step, 1));
  firstRuns.set(steps, runs);
  return runs;
}

/** Both halves of a step that was not reached, in this generation. */
export function freshRuns({ rollback }: StepPlan, generation: number): StepRuns {
  // A step that holds steps may always have something to undo: it has `rollback` undefined.
  return { generation, normal: PENDING_RUN, rollback: rollback === null ? null : NOTHING_TO_UNDO };
}
