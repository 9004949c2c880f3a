import type { FlowDefinition, StepPlan } from './flow.js';
import { ancestorsOf, FlowProgram } from './program.js';

/** The steps of a task that runs one step by itself: all those before it, and then that one. */
type StepsUpTo = readonly [...before: StepPlan[], only: StepPlan];

/**
 * The steps of a task that runs one of a flow's own steps by itself; the same object each time.
 * Null: the flow has no such step.
 */
export function stepsUpTo(
  { steps }: Pick<FlowDefinition, 'steps'>,
  name: string,
): StepsUpTo | null {
  const place = steps.findIndex((step) => step.name === name);
  const only = steps[place];
  if (only === undefined) return null;
  const lists = FlowProgram.of(steps).kept(noLists);
  let found = lists.get(name);
  if (found === undefined) {
    const before = ancestorsOf(steps, place);
    const kept = (step: StepPlan): StepPlan => {
      return { ...step, needs: step.needs.map((need) => before.indexOf(need)) };
    };
    found = Object.freeze([
      ...before.map((at) => kept(steps[at] as StepPlan)),
      kept(only),
    ] as const);
    lists.set(name, found);
  }
  return found;
}

/** The lists by the names of their last steps. */
function noLists(): Map<string, StepsUpTo> {
  return new Map();
}
