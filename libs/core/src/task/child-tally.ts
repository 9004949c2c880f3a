import type { JsonObject } from '../json/json.js';
import type { ChildCounts, ChildrenAnew } from './parent.js';

/**
 * The tally that a step keeps of its child tasks, in the values of its run. It holds counts only,
 * so its size does not depend on how many child tasks there are. The items stand in the values of
 * their scope, which no commit writes again.
 */
export type ChildTally = Omit<ChildCounts, 'found'> & {
  /** How many there are to be. */
  readonly total: number;
  /** How many may have been stored: those of the lowest indexes. */
  readonly started: number;
  /** Of a flow that they run: its name, and its version once that is known; null: steps. */
  readonly flow: { readonly name: string; readonly version: number | null } | null;
  /**
   * The rounds before, of which the other numbers say nothing, in their order; absent: this is the
   * first.
   */
  readonly earlier?: readonly RoundCounts[];
  /** Which child tasks are begun again once the step is entered; absent: it is under way. */
  readonly anew?: ChildrenAnew;
};

/** How the child tasks of a round stood when it was over. */
export type RoundCounts = {
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
};

/** Whether the values of a run are such a tally: those of a step with child tasks are. */
export function isChildTally(values: JsonObject): values is ChildTally {
  return typeof values['total'] === 'number' && typeof values['started'] === 'number';
}
