import type { JsonObject, JsonValue } from '#core';
import { isObject } from './read-json.js';
import { joinPointer } from './json-pointer.js';

/** A reference to a secret. The receiver of the request checks its form. */
const REFERENCE: JsonObject = Object.freeze({
  type: 'object',
  required: ['$secret'],
  properties: { $secret: { type: 'string' } },
  maxProperties: 1,
});

/** Keywords whose members have names of their own. */
const BY_NAME: ReadonlySet<string> = new Set([
  '$defs',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Keywords whose values are no schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required']);

/**
 * A flow's `input` that takes a reference in the place of each secret: what such a schema asks for,
 * the secret itself has.
 */
export function takingReferences(input: JsonObject): JsonObject {
  return changed(input) as JsonObject;
}

/** Keywords whose value may be the secret itself. */
const OF_THE_SECRET = ['const', 'default', 'enum'];

/** The pointers to values in a flow's `input` that are those of secrets. */
export function secretsInClear(schema: JsonValue, pointer = ''): readonly string[] {
  if (!isObject(schema) && !Array.isArray(schema)) return [];
  const isSecret = isObject(schema) && schema['secret'] === true;
  return Object.entries(schema).flatMap(([keyword, value = null]) => {
    const at = joinPointer(pointer, keyword);
    if (isSecret && OF_THE_SECRET.includes(keyword) && value !== null) return [at];
    if (VALUES.has(keyword)) return [];
    if (!BY_NAME.has(keyword) || !isObject(value)) return secretsInClear(value, at);
    return Object.entries(value).flatMap(([name, part = null]) => {
      return secretsInClear(part, joinPointer(at, name));
    });
  });
}

/** The root itself is about all parameters, which are no secret. */
function changed(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map((each: JsonValue) => inner(each));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, value = null]) => {
    if (VALUES.has(keyword)) return [keyword, value] as const;
    if (!BY_NAME.has(keyword) || !isObject(value)) return [keyword, inner(value)] as const;
    const members = Object.entries(value).map(([name, part = null]) => [name, inner(part)]);
    return [keyword, Object.fromEntries(members) as JsonObject] as const;
  });
  return Object.fromEntries(entries);
}

function inner(schema: JsonValue): JsonValue {
  const next = changed(schema);
  if (!isObject(schema) || schema['secret'] !== true) return next;
  const { description, examples, title } = schema;
  const forReaders = { description, examples, title };
  const told = Object.entries(forReaders).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(told), if: REFERENCE, else: next };
}
