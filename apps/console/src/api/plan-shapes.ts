import type { Estimate } from './shapes.js';

/** A step of a task, or of a task below it. */
export interface PlannedPlace {
  readonly taskId: string;
  readonly step: string;
  /** Of the run. */
  readonly id: string;
}

/** What would be undone if a task went back now. */
export interface RollbackPlan {
  readonly items: readonly (PlannedPlace & {
    readonly module: string;
    readonly command: string;
    /** Whether an executor is there that has the command. */
    readonly served: boolean;
  })[];
  /** The step past which nothing goes back; null: there is none. */
  readonly pivot: string | null;
  readonly leftOver: readonly PlannedPlace[];
  /** Why the task would not go back all the way; null: it would. */
  readonly obstacle: string | null;
  /** The step to ask for, down to which the items go; null: there is none. */
  readonly to: string | null;
  /** There are more items than these. */
  readonly isCut: boolean;
  readonly estimate: Estimate | null;
}
