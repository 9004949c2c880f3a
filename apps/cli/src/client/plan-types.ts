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

/** The course of an action, if it were done now. */
export interface PreviewReport {
  readonly action: string;
  readonly status: { readonly before: string; readonly after: string };
  readonly calledOff: readonly Pick<PlannedUndoReport, 'id' | 'step' | 'taskId'>[];
  readonly starts: readonly StartReport[];
  readonly undoes: readonly PlannedUndoReport[];
  readonly leftOver: readonly Pick<PlannedUndoReport, 'id' | 'step' | 'taskId'>[];
  readonly obstacle: string | null;
  readonly isCut: boolean;
  readonly estimate: EstimateReport | null;
}

/** An action that would start at once. */
interface StartReport {
  readonly id: string;
  readonly direction: string;
  /** Null: the step holds other steps, or waits. */
  readonly module: string | null;
  readonly command: string | null;
}
