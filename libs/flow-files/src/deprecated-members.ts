import type { JsonObject } from '#core';
import { isObject } from './json-document.js';
import { schemasInPlace } from './declared-members.js';

/** Advice where one of them is given. */
export const DEPRECATED_HINT =
  'It may be gone in a later version: read its description, and give what stands in for it.';

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
