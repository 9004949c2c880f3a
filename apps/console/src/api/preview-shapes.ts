import type { Estimate } from './shapes.js';

/** A step of a task, or of a task below it. */
export interface PlannedPlace {
  readonly taskId: string;
  readonly step: string;
  /** Of the run. */
  readonly id: string;
}

/** An action that starts at once. */
export interface PlannedStart extends PlannedPlace {
  readonly direction: 'normal' | 'rollback';
  /** Null: the step holds other steps, or waits. */
  readonly module: string | null;
  readonly command: string | null;
}

/** An undo that follows. */
export interface PlannedUndo extends PlannedPlace {
  readonly module: string;
  readonly command: string;
  /** Whether an executor is there that has the command. */
  readonly served: boolean;
}

/** The course of an action on a task if it were done now. */
export interface Course {
  readonly status: { readonly before: string; readonly after: string };
  /** Running steps that are told to stop. */
  readonly calledOff: readonly PlannedPlace[];
  readonly starts: readonly PlannedStart[];
  /** In their order, those that start at once included. */
  readonly undoes: readonly PlannedUndo[];
  /** Steps that may have had an effect, and stay as they are. */
  readonly leftOver: readonly PlannedPlace[];
  /** Why not all of it is undone; null: all is. */
  readonly obstacle: string | null;
  /** There is more than is listed. */
  readonly isCut: boolean;
  readonly estimate: Estimate | null;
}
