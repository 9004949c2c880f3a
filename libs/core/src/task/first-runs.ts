import { NOTHING_TO_UNDO, PENDING_RUN, type StepRuns } from './action-run.js';
import type { StepPlan } from '../flow/flow.js';
import { FlowProgram } from '../flow/program.js';

/** The runs of steps of which none was reached; the same objects for all tasks of these steps. */
export function firstRunsOf(steps: readonly StepPlan[]): readonly StepRuns[] {
  return FlowProgram.of(steps).kept(firstOf);
}

function firstOf(steps: readonly StepPlan[]): readonly StepRuns[] {
  return steps.map((step) => freshRuns(step, 1));
}

/** Both halves of a step that was not reached, in this generation. */
export function freshRuns(step: StepPlan, generation: number): StepRuns {
  return { generation, normal: PENDING_RUN, rollback: hasUndo(step) ? NOTHING_TO_UNDO : null };
}

/**
 * Whether a step may have something to undo. One that holds steps always may, as may one whose
 * error is caught by steps: it has `rollback` undefined, or a `catch`.
 */
export function hasUndo({ catch: clauses, rollback }: StepPlan): boolean {
  return rollback !== null || clauses !== undefined;
}
