import type { JsonObject, JsonValue } from '#core';
import { isObject } from './read-json.js';
import { partsInPlace } from './schema-cost.js';

/** Advice where one of them is given. */
export const DEPRECATED_HINT =
  'It may be gone in a later version: read its description, and give what stands in for it.';

/** Whether a schema says itself what is to become of members that it does not name. */
export function isExplicit(schema: JsonObject): boolean {
  return 'additionalProperties' in schema || 'unevaluatedProperties' in schema;
}

/** Whether a schema refuses members that it does not name under `properties`. */
export function isClosed(root: JsonObject): boolean {
  return [...schemasInPlace(root)].every((schema) => {
    const others = [schema['additionalProperties'], schema['unevaluatedProperties']];
    return !('patternProperties' in schema) && others.every((value = false) => value === false);
  });
}

/** Members of the value itself that a schema requires, wherever it does. */
export function requiredMembers(root: JsonObject): ReadonlySet<string> {
  return new Set([...schemasInPlace(root)].flatMap(requiredIn));
}

/** The names that a schema requires itself, without its parts. */
export function requiredIn({ required }: JsonObject): readonly string[] {
  const names: readonly JsonValue[] = [required ?? []].flat();
  return names.filter((name) => typeof name === 'string');
}

/** Members of the value itself that a schema names under `properties`, wherever it does. */
export function declaredMembers(root: JsonObject): ReadonlySet<string> {
  const members = new Set<string>();
  for (const schema of schemasInPlace(root)) {
    const { properties } = schema;
    if (isObject(properties)) for (const name of Object.keys(properties)) members.add(name);
  }
  return members;
}

/**
 * Members that a request must have and cannot have, as the schema requires them without naming them
 * under `properties`.
 */
export function impossibleMembers(root: JsonObject): readonly string[] {
  if (isExplicit(root)) return [];
  const all = [...schemasInPlace(root)];
  if (all.some((schema) => isExplicit(schema) || 'patternProperties' in schema)) return [];
  const declared = declaredMembers(root);
  return requiredIn(root).filter((name) => !declared.has(name));
}

/** A schema and all that apply to the same value as itself, also by reference. */
export function schemasInPlace(root: JsonObject): ReadonlySet<JsonObject> {
  const definitions = isObject(root['$defs']) ? root['$defs'] : {};
  const found = new Set([root]);
  for (const schema of found) {
    const { $ref: to } = schema;
    const target = typeof to === 'string' ? definitions[to.slice('#/$defs/'.length)] : undefined;
    for (const part of [...partsInPlace(schema), target]) if (isObject(part)) found.add(part);
  }
  return found;
}

/** Members of the value itself that a schema calls deprecated under `properties`. */
export function deprecatedMembers(root: JsonObject): ReadonlySet<string> {
  const members = new Set<string>();
  for (const { properties } of schemasInPlace(root)) {
    if (!isObject(properties)) continue;
    for (const [name, schema] of Object.entries(properties)) {
      if (isObject(schema) && schema['deprecated'] === true) members.add(name);
    }
  }
  return members;
}
