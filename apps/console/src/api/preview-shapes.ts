import type { HttpApi } from '../../../../schemas/http-api.js';
import type { Estimate } from './shapes.js';

type Preview = HttpApi['Preview'];

/** The course of an action on a task if it were done now. */
export interface Course extends Omit<Preview, 'action' | 'estimate' | 'undoes'> {
  readonly undoes: readonly PlannedUndo[];
  readonly estimate: Estimate | null;
}

/** An action that starts at once. */
export type PlannedStart = Course['starts'][number];

/** An undo that follows. */
export type PlannedUndo = Pick<
  Preview['undoes'][number],
  'taskId' | 'step' | 'id' | 'module' | 'command' | 'served'
>;

/** A step of a task, or of a task below it. */
export type PlannedPlace = Course['leftOver'][number];
