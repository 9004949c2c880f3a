import type { FlowDefinition, StepPlan, Template } from './flow.js';
import { FlowProgram } from './program.js';

/** Name of the step that works out the output of a task. No view shows it among the steps. */
const OUTPUT_STEP = '$output';

/**
 * The steps of a flow's tasks: its own, and one that gives the output where it has one. The same
 * object for all tasks of a flow version.
 */
export function stepsOfTask({ output, steps }: FlowDefinition): readonly StepPlan[] {
  if (output === undefined) return steps;
  const lists = FlowProgram.of(steps).kept(noLists);
  let all = lists.get(output);
  if (all === undefined) {
    const needs = steps.map((_, position) => position);
    all = Object.freeze([...steps, { name: OUTPUT_STEP, needs, succeed: { output } }]);
    lists.set(output, all);
  }
  return all;
}

/** The lists by their outputs. */
function noLists(): Map<Template, readonly StepPlan[]> {
  return new Map();
}

/** How many steps the author of a list wrote. */
export function countWritten(steps: readonly StepPlan[]): number {
  return steps.at(-1)?.name === OUTPUT_STEP ? steps.length - 1 : steps.length;
}
