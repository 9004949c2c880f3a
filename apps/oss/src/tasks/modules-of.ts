import { actionsIn, type FlowDefinition, type FlowVersion, innerLists, type StepPlan } from '#core';
import { isExpression } from '#expressions';

/** The modules that the steps of a flow use. */
export function modulesOf({ definition }: Pick<FlowVersion, 'definition'>): readonly string[] {
  return [...new Set(actionsIn(definition.steps).map(({ module }) => module))];
}

/** Whether some steps come to be only while a task runs, so that they may use any module. */
export function makesSteps(steps: readonly StepPlan[]): boolean {
  return steps.some((step) => step.dynamic !== undefined || innerLists(step).some(makesSteps));
}

/** Whether some flows that a task of these steps starts are named only while it runs. */
export function namesAtRunTime(steps: readonly StepPlan[]): boolean {
  return makesSteps(steps) || namesIn(steps).some(({ name }) => isExpression(name));
}

/** A flow that tasks of another one start, by its name. */
interface StartedFlow {
  readonly name: string;
  /** Null: the newest. */
  readonly version: number | null;
}

/** The flows of which tasks of a flow start others by a name: child tasks and its failure flow. */
export function startsOf({
  failureFlow,
  steps,
}: Pick<FlowDefinition, 'failureFlow' | 'steps'>): readonly StartedFlow[] {
  const after = failureFlow === undefined ? [] : [{ name: failureFlow, version: null }];
  return [...namesIn(steps), ...after].filter(({ name }) => !isExpression(name));
}

function namesIn(steps: readonly StepPlan[]): readonly StartedFlow[] {
  return steps.flatMap((step) => {
    const own = step.flow ?? { name: step.foreach?.flow ?? null, version: null };
    const started = own.name === null ? [] : [{ name: own.name, version: own.version }];
    return [...started, ...innerLists(step).flatMap(namesIn)];
  });
}
