import {
  calledFlow,
  type FlowDefinition,
  type FlowVersion,
  makesSteps,
  type StepPlan,
} from '#core';
import { actionsIn, innerLists } from '#core/flow';
import { isExpression } from '#expressions';

/** The modules that the steps of a flow use. */
export function modulesOf({ definition }: Pick<FlowVersion, 'definition'>): readonly string[] {
  return [...new Set(actionsIn(definition.steps).map(({ module }) => module))];
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
    const called = calledFlow(step);
    const started = called === null ? [] : [{ name: called.name, version: called.version }];
    return [...started, ...innerLists(step).flatMap(namesIn)];
  });
}
