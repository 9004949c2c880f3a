import { actionsIn, type FlowVersion, innerLists, type StepPlan } from '#core';

/** The modules that the steps of a flow use. */
export function modulesOf({ definition }: Pick<FlowVersion, 'definition'>): readonly string[] {
  return [...new Set(actionsIn(definition.steps).map(({ module }) => module))];
}

/** Whether some steps come to be only while a task runs, so that they may use any module. */
export function makesSteps(steps: readonly StepPlan[]): boolean {
  return steps.some((step) => step.dynamic !== undefined || innerLists(step).some(makesSteps));
}
