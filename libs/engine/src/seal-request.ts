import type { FlowDefinition, JsonObject, JsonValue, TaskRequest } from '#core';
import {
  changeSecrets,
  hasSecretInput,
  isReference,
  referencesIn,
  referencesOf,
  sealOwner,
} from '#core/secrets';
import type { Secrets } from '#ports';
import { sealAnew, type SealOf, sealValue } from './seal-values.js';

/** The flow and the task that a request is sealed for. */
interface SealFor {
  readonly definition: Pick<FlowDefinition, 'constants' | 'input' | 'steps'>;
  readonly taskId: string;
}

/**
 * The request with all that its flow's input calls secret sealed, and with the references among it
 * named; the same object where there is nothing. Values that a parent hands on stay as they were
 * sealed for the parent, and values that were sealed for another owner are sealed anew. Throws
 * `NoSecretKey` and `CannotOpenSecret`.
 */
export function sealRequest(
  secrets: Secrets,
  request: TaskRequest,
  { definition, taskId }: SealFor,
): TaskRequest {
  const { parent = null, sealedFor } = request;
  const isWritten = referencesOf(definition).length > 0;
  if (sealedFor === undefined && !isWritten && !hasSecretInput(definition)) return request;
  const owner = sealOwner({ parent, taskId });
  const own = sealAnew(secrets, request.parameters, { from: sealedFor, to: owner });
  const isHandedOn = parent !== null || sealedFor !== undefined;
  const parameters = sealParameters(secrets, own, { definition, isHandedOn, owner });
  // A task around it names them: what it hands on may come from anywhere.
  const given = parent === null ? referencesAmong(definition, parameters) : [];
  if (parameters === request.parameters && !isWritten && given.length === 0) return request;
  const references = given.length === 0 ? request.references : given;
  return { ...request, parameters, references, hasSecrets: true };
}

/** The references that stand where a flow's input says that a secret does. */
function referencesAmong(
  definition: Pick<FlowDefinition, 'input'>,
  parameters: JsonObject,
): readonly string[] {
  const found: JsonValue[] = [];
  changeSecrets(definition, parameters, (value) => {
    if (isReference(value)) found.push(value);
    return value;
  });
  return referencesIn(found);
}

/** Parameters with the secrets of this input sealed; null is none. Throws `NoSecretKey`. */
export function sealParameters(
  secrets: Secrets,
  parameters: JsonObject,
  { definition, ...how }: SealOf & { readonly definition: Pick<FlowDefinition, 'input'> },
): JsonObject {
  if (!hasSecretInput(definition)) return parameters;
  return changeSecrets(definition, parameters, (value) => sealValue(secrets, value, how));
}
