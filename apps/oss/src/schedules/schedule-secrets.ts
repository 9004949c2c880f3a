import type { FlowDefinition, JsonObject } from '#core';
import type { StartLimits } from '#core/flow';
import { canonicalJson } from '#core/json';
import { sealParameters } from '#engine';
import type { ScheduleRecord, Secrets } from '#ports';
import { type HandedSecrets, sealedPointers, workOfFlow } from '../tasks/handed-secrets.js';
import { openParameters } from '../tasks/secret-parameters.js';

/** The owner that a schedule's values are sealed for, until its tasks have them. */
function ownerOf(name: string): string {
  return `schedule ${name}`;
}

/** The members of a schedule that its tasks take over, besides its order. */
interface OfSchedule {
  readonly limits?: StartLimits;
  readonly handed?: HandedSecrets;
}

/** The limits of a schedule's author, and the secrets that it hands on. */
export function takenFrom({ limits, name, order, secretsFor }: ScheduleRecord): OfSchedule {
  const pointers = sealedPointers(order.parameters, '/parameters');
  const { at: givenAt, work: givenTo } = secretsFor ?? { at: 0, work: '' };
  const handed = { sealedFor: ownerOf(name), givenTo, givenAt, pointers };
  return { ...(limits && { limits }), ...(pointers.length > 0 && { handed }) };
}

/** The work that secrets among a schedule's parameters are given to; undefined: it has none. */
export function secretsFor(
  definition: FlowDefinition,
  parameters: JsonObject,
  now: number,
): ScheduleRecord['secretsFor'] {
  const isNone = sealedPointers(parameters, '').length === 0;
  return isNone ? undefined : { at: now, work: workOfFlow(definition, undefined) };
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
