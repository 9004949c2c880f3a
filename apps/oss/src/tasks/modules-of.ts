import { actionsIn, type FlowVersion } from '#core';

/** The modules that the steps of a flow use. */
export function modulesOf({ definition }: FlowVersion): readonly string[] {
  return [...new Set(actionsIn(definition.steps).map(({ module }) => module))];
}
