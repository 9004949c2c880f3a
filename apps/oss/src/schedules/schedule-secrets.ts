import { type FlowDefinition, type JsonObject, SEAL_MARK } from '#core';
import { sealParameters } from '#engine';
import type { ScheduleRecord, Secrets } from '#ports';
import { canonicalJson } from '../tasks/request-hash.js';
import { openParameters } from '../tasks/secret-parameters.js';

/** The owner that a schedule's values are sealed for, until its tasks have them. */
function ownerOf(name: string): string {
  return `schedule ${name}`;
}

/** The owner that values among a schedule's parameters are sealed for; `{}`: none is sealed. */
export function scheduleSeals({ name, order }: Pick<ScheduleRecord, 'name' | 'order'>): {
  readonly sealedFor?: string;
} {
  const isSealed = JSON.stringify(order.parameters).includes(SEAL_MARK);
  return isSealed ? { sealedFor: ownerOf(name) } : {};
}

/** The schedule whose parameters are sealed, and the inputs of its flow. */
interface ScheduleSeal {
  readonly name: string;
  readonly definition: Pick<FlowDefinition, 'input'>;
  /** The schedule that is stored under the name; null: there is none. */
  readonly before: ScheduleRecord | null;
}

/**
 * Parameters as a schedule keeps them: its secrets are sealed. Parameters equal to those before
 * stay as stored, so that storing the same again changes nothing. Throws `NoSecretKey`.
 */
export function sealForSchedule(
  secrets: Secrets,
  parameters: JsonObject,
  { before, definition, name }: ScheduleSeal,
): JsonObject {
  const how = { definition, owner: ownerOf(name), isHandedOn: false };
  const sealed = sealParameters(secrets, parameters, how);
  if (sealed === parameters || before === null) return sealed;
  const stored = before.order.parameters;
  const isSame = canonicalJson(openedOrNull(secrets, before)) === canonicalJson(parameters);
  return isSame ? stored : sealed;
}

function openedOrNull(secrets: Secrets, { name, order }: ScheduleRecord): JsonObject | null {
  try {
    return openParameters(secrets, order.parameters, ownerOf(name));
  } catch {
    // Another key, or another schedule of this name: then it is not the same.
    return null;
  }
}
