import type { EstimateReport } from './types.js';

/** One undo of a rollback that nobody has asked for. */
export interface PlannedUndoReport {
  /** That of the task, or of a child task below it. */
  readonly taskId: string;
  readonly step: string;
  readonly id: string;
  readonly module: string;
  readonly command: string;
  readonly served: boolean;
  /** Why expressions in its parameters have no values; null: all have. */
  readonly unresolved: string | null;
}

/** The plan of a rollback. */
export interface PlanReport {
  readonly items: readonly PlannedUndoReport[];
  readonly pivot: string | null;
  readonly leftOver: readonly Pick<PlannedUndoReport, 'id' | 'step' | 'taskId'>[];
  /** There is more to undo than the items. */
  readonly isCut: boolean;
  readonly obstacle: string | null;
  /** With an obstacle: the step down to which the items go; null: there is none. */
  readonly to: string | null;
  /** Null: the task would not go back. Absent: the gateway is of an older build. */
  readonly estimate?: EstimateReport | null;
}
