import {
  changeSecrets,
  type FlowDefinition,
  hasSecretInput,
  isSealed,
  type JsonObject,
  mapTexts,
  sealOwner,
  type TaskRequest,
} from '#core';
import type { Secrets } from '#ports';

/** The flow and the task that a request is sealed for. */
interface SealFor {
  readonly definition: Pick<FlowDefinition, 'input'>;
  readonly taskId: string;
}

/**
 * The request with all that its flow's input calls secret sealed; the same object where there is
 * nothing. Values that a parent hands on stay as they were sealed for the parent, and values that
 * were sealed for another owner are sealed anew. Throws `NoSecretKey` and `CannotOpenSecret`.
 */
export function sealRequest(
  secrets: Secrets,
  request: TaskRequest,
  { definition, taskId }: SealFor,
): TaskRequest {
  const { parent = null, sealedFor } = request;
  if (sealedFor === undefined && !hasSecretInput(definition)) return request;
  const owner = sealOwner({ parent, taskId });
  const own = sealedFor === undefined ? request.parameters : sealAnew(secrets, request, owner);
  const isHandedOn = parent !== null || sealedFor !== undefined;
  const parameters = sealParameters(secrets, own, { definition, isHandedOn, owner });
  return parameters === request.parameters ? request : { ...request, parameters, hasSecrets: true };
}

/** Seals values for this owner that were sealed for another one. */
function sealAnew(
  secrets: Secrets,
  { parameters, sealedFor = '' }: TaskRequest,
  owner: string,
): JsonObject {
  const change = (text: string): string => {
    return isSealed(text) ? secrets.seal(secrets.open(text, sealedFor), owner) : text;
  };
  return mapTexts(parameters, change) as JsonObject;
}

/** How parameters are sealed. */
interface SealHow {
  readonly definition: Pick<FlowDefinition, 'input'>;
  readonly owner: string;
  /** Sealed values stay as they are: they come from a task and not from outside. */
  readonly isHandedOn: boolean;
}

/** Parameters with their secrets sealed; null is none. Throws `NoSecretKey`. */
export function sealParameters(
  secrets: Secrets,
  parameters: JsonObject,
  { definition, isHandedOn, owner }: SealHow,
): JsonObject {
  if (!hasSecretInput(definition)) return parameters;
  return changeSecrets(definition, parameters, (value) => {
    if (value === null || (isHandedOn && isSealed(value))) return value;
    return secrets.seal(value, owner);
  });
}
