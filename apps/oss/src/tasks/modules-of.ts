import { actionsIn, type FlowVersion } from '#core';

/** The modules that the steps of a flow use. */
export function modulesOf({ definition }: Pick<FlowVersion, 'definition'>): readonly string[] {
  return [...new Set(actionsIn(definition.steps).map(({ module }) => module))];
}
