import { jsonSize } from '../json/json-size.js';
import type { Edit, Task } from './task.js';
import type { StepRuns } from './action-run.js';

/** The limits on the size of a task. */
export interface TaskLimits {
  /**
   * Bytes of its parameters and of all outputs together, as JSON. The rest of a document has bounds
   * of its own: this many journal entries, and texts as long as `boundedEvent` leaves them.
   */
  readonly contentBytes: number;
  /** Its runs and its scopes together: loops and lists in each other multiply them. */
  readonly runs: number;
}

/** The limits used where nobody set others. A document of MongoDB has at most 16 MiB. */
export const DEFAULT_LIMITS: TaskLimits = Object.freeze({
  contentBytes: 4 * 1_048_576,
  // A loop of 1,000 rounds of ten steps has 11,001 of them.
  runs: 13_000,
});

/** Bytes of a task's parameters, their changes, outputs and template values, as JSON. */
export function contentSize({ edits, plan, runs }: Pick<Task, 'edits' | 'plan' | 'runs'>): number {
  let sum = jsonSize(plan.parameters);
  if (plan.constants !== null) sum += jsonSize(plan.constants);
  for (const edit of edits) sum += sizeOfEdit(edit);
  for (const both of runs) sum += sizeOfRuns(both);
  return sum;
}

/** Bytes of the content that the runs of one step hold, as JSON. */
function sizeOfRuns({ normal, rollback }: StepRuns): number {
  let sum = 0;
  if (normal.output !== null) sum += jsonSize(normal.output);
  if (normal.values !== null) sum += jsonSize(normal.values);
  if (rollback !== null && rollback.values !== null) sum += jsonSize(rollback.values);
  return sum;
}

/** Bytes of a person's change of parameters as JSON. */
export function sizeOfEdit({ before, unseenBy, values, winsIn }: Edit): number {
  return jsonSize(values) + jsonSize(before) + jsonSize(unseenBy) + jsonSize(winsIn);
}
