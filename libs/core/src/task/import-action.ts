import { TASK_STATUS } from './status.js';
import type { DoneAction, Task } from './task.js';
import { illegal, type Refusal } from './verdict.js';

/** Name of the act of putting a task back, among the acts of persons that a task keeps. */
export const IMPORT = 'import';

/** Whether an act of a person put the task back into its store. */
export function isImport({ action }: Pick<DoneAction, 'action'>): boolean {
  return action === IMPORT;
}

/**
 * Why an imported task that succeeded cannot go back; null: it was not imported, or has nothing to
 * undo. The marks of its effects may have been forgotten while it was away, and an undo that finds
 * no mark takes the effect for one that never was.
 */
export function refuseImported(
  { doneActions, status }: Pick<Task, 'doneActions' | 'status'>,
  verb: string,
): Refusal | null {
  if (status !== TASK_STATUS.succeeded || !doneActions.some(isImport)) return null;
  return illegal(
    `${verb} is not possible for an imported task: its executors may have forgotten its effects, ` +
      `and would undo nothing. Undo the effects with a separate task`,
  );
}
