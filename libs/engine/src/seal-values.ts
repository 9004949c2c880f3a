import type { JsonObject, JsonValue } from '#core';
import { isReference, isSealed, mapMembers, mapTexts } from '#core/secrets';
import type { Secrets } from '#ports';

/** The owner for which values are sealed, and where they come from. */
export interface SealOf {
  readonly owner: string;
  /** Sealed values stay as they are: they come from a task and not from outside. */
  readonly isHandedOn: boolean;
}

/**
 * A value that is secret, sealed; null is none, and a reference to one is none either. Throws
 * `NoSecretKey`.
 */
export function sealValue(
  secrets: Secrets,
  value: JsonValue,
  { isHandedOn, owner }: SealOf,
): JsonValue {
  if (value === null || isReference(value) || (isHandedOn && isSealed(value))) return value;
  return secrets.seal(value, owner);
}

/** An object with the members of these names sealed. Throws `NoSecretKey`. */
export function sealMembers(
  secrets: Secrets,
  object: JsonObject,
  { names, ...how }: SealOf & { readonly names: readonly string[] },
): JsonObject {
  if (names.length === 0) return object;
  return mapMembers(object, (value, name) => {
    return names.includes(name) ? sealValue(secrets, value, how) : value;
  });
}

/** The owner for which values are sealed so far, and the one for which they are to be. */
interface SealAnew {
  /** Undefined: they are sealed for the right one. */
  readonly from: string | undefined;
  readonly to: string;
}

/** Values as sealed for another owner. Throws `NoSecretKey` and `CannotOpenSecret`. */
export function sealAnew(secrets: Secrets, values: JsonObject, { from, to }: SealAnew): JsonObject {
  if (from === undefined) return values;
  const change = (text: string): string => {
    return isSealed(text) ? secrets.seal(secrets.open(text, from), to) : text;
  };
  return mapTexts(values, change) as JsonObject;
}
