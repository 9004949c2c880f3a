import type { FlowVersion, JsonObject } from '#core';
import { SEAL_MARK } from '#core/secrets';
import { stepsToRun } from '#core/transitions';
import type { FlowStore } from '#ports';

/** Whether some of these parameters are sealed. */
export function holdsSeals(parameters: JsonObject): boolean {
  return JSON.stringify(parameters).includes(SEAL_MARK);
}

/**
 * Whether a version of a flow was there at a moment, in milliseconds since 1970, or does the same
 * with its parameters as the version that was the newest then. Throws `StoreUnavailable`.
 */
export async function isAsOf(
  flows: Pick<FlowStore, 'getFlow'>,
  flow: FlowVersion,
  moment: number,
): Promise<boolean> {
  let before: FlowVersion | null = flow;
  while (before !== null && before.createdAt > moment) {
    if (before.version <= 1) return false;
    before = await flows.getFlow(flow.definition.name, before.version - 1);
  }
  return before !== null && doesSame(flow, before);
}

/** Whether two versions of a flow run the same steps with the same constants. */
function doesSame(one: FlowVersion, other: FlowVersion): boolean {
  return one === other || workOf(one) === workOf(other);
}

function workOf({ definition }: FlowVersion): string {
  return JSON.stringify([stepsToRun(definition, undefined), definition.constants ?? null]);
}
