import { type HeldList, listsIn } from '#kinds';
import type { Scope } from '../task/scope.js';
import type { StepPlan } from './flow.js';

/** A list of steps that a step has as its author wrote it. */
interface PlanList extends HeldList {
  readonly steps: readonly StepPlan[];
}

// Steps are immutable and shared by all tasks of a flow version.
const known = new WeakMap<StepPlan, readonly PlanList[]>();

/** Every list of steps that a step has as its author wrote it, in the order of a file. */
export function planLists(step: StepPlan): readonly PlanList[] {
  // A command holds no steps unless it is caught.
  if (step.normal !== undefined && step.catch === undefined) return NONE;
  let lists = known.get(step);
  if (lists === undefined) {
    lists = listsIn(step) as readonly PlanList[];
    known.set(step, lists);
  }
  return lists;
}

const NONE: readonly PlanList[] = Object.freeze([]);

/** Every list of steps that a step has as its author wrote it, in the order of a file. */
export function innerLists(step: StepPlan): readonly (readonly StepPlan[])[] {
  return planLists(step).map(({ steps }) => steps);
}

/** The list of a step that a scope of it runs; undefined: it has none. */
export function listOfScope(
  step: StepPlan,
  { kind, list }: Pick<Scope, 'kind' | 'list'>,
): PlanList | undefined {
  let before = list;
  for (const one of planLists(step)) {
    if (one.declared.scope !== kind) continue;
    if (before === 0) return one;
    before -= 1;
  }
  return undefined;
}
