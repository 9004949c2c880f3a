import {
  changeSecrets,
  type FlowDefinition,
  hasSecretInput,
  type JsonObject,
  sealOwner,
  type TaskRequest,
} from '#core';
import type { Secrets } from '#ports';
import { sealAnew, type SealOf, sealValue } from './seal-values.js';

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
  const own = sealAnew(secrets, request.parameters, { from: sealedFor, to: owner });
  const isHandedOn = parent !== null || sealedFor !== undefined;
  const parameters = sealParameters(secrets, own, { definition, isHandedOn, owner });
  return parameters === request.parameters ? request : { ...request, parameters, hasSecrets: true };
}

/** Parameters with the secrets of this input sealed; null is none. Throws `NoSecretKey`. */
export function sealParameters(
  secrets: Secrets,
  parameters: JsonObject,
  { definition, ...how }: SealOf & Pick<SealFor, 'definition'>,
): JsonObject {
  if (!hasSecretInput(definition)) return parameters;
  return changeSecrets(definition, parameters, (value) => sealValue(secrets, value, how));
}
