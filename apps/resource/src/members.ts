import type { JsonObject } from '#core';

/**
 * Names of the instances that the steps before have made: `instance` of a single one, or one object
 * per member of a cluster, each with its own `instance`. Empty where none is named.
 */
export function instancesIn(parameters: JsonObject): readonly string[] {
  const { instance } = parameters;
  const members = Object.values(parameters).flatMap((value) => {
    const member = (value as { instance?: unknown } | null | undefined)?.instance;
    return typeof member === 'string' ? [member] : [];
  });
  if (members.length > 0) return [...new Set(members)].toSorted();
  return typeof instance === 'string' && instance !== '' ? [instance] : [];
}
