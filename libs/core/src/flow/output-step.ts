import type { FlowDefinition, StepPlan } from './flow.js';

/** Name of the step that works out the output of a task. No view shows it among the steps. */
const OUTPUT_STEP = '$output';

// Tasks of one flow version share the object that their steps are.
const known = new WeakMap<readonly StepPlan[], readonly StepPlan[]>();

/** The steps of a flow's tasks: its own, and one that gives the output where it has one. */
export function stepsOfTask({ output, steps }: FlowDefinition): readonly StepPlan[] {
  if (output === undefined) return steps;
  let all = known.get(steps);
  if (all === undefined) {
    const needs = steps.map((_, position) => position);
    all = Object.freeze([...steps, { name: OUTPUT_STEP, needs, succeed: { output } }]);
    known.set(steps, all);
  }
  return all;
}

/** How many steps the author of a list wrote. */
export function countWritten(steps: readonly StepPlan[]): number {
  return steps.at(-1)?.name === OUTPUT_STEP ? steps.length - 1 : steps.length;
}
