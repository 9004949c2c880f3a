import { isObject } from '#core/json';

/** A part of a JSON Schema. */
type Schema = Readonly<Record<string, unknown>>;

/** Keywords that are about values of one type, by that type. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  object: ['properties', 'required', 'additionalProperties', 'propertyNames', 'maxProperties'],
  string: ['pattern', 'minLength', 'maxLength', 'format'],
};

/** Keywords whose members have names of their own, so that they are no keywords. */
const NAMED = ['properties', '$defs', 'mapping'];

/** Keywords whose values are values, not schemas. */
const VALUES = ['enum', 'const', 'default', 'example', 'examples'];

/**
 * The same schema as generators of clients take it: each enum and each constant says its type, an
 * object without named members says that it is open, and a value of several types is one of several
 * schemas.
 */
export function portableSchema(schema: object): object {
  return parted(openObject(typedValues(mapped(schema as Schema))));
}

function mapped(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (VALUES.includes(keyword) || !isObject(value)) return [keyword, listed(keyword, value)];
      return [keyword, NAMED.includes(keyword) ? portableSchemas(value) : portableSchema(value)];
    }),
  );
}

function listed(keyword: string, value: unknown): unknown {
  if (VALUES.includes(keyword) || !Array.isArray(value)) return value;
  return value.map((part) => (isObject(part) ? portableSchema(part) : part) as unknown);
}

/** Each schema of these by its name. */
export function portableSchemas(schemas: Readonly<Record<string, unknown>>): Schema {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, value]) => {
      return [name, isObject(value) ? portableSchema(value) : value];
    }),
  );
}

function typedValues(schema: Schema): Schema {
  if ('type' in schema) return schema;
  const values = 'const' in schema ? [schema['const']] : (schema['enum'] as unknown[] | undefined);
  if (values === undefined) return schema;
  const types = [...new Set(values.map(typeOfValue))];
  return { type: types.length === 1 ? types[0] : types, ...schema };
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'number' ? 'integer' : typeof value;
}

function openObject(schema: Schema): Schema {
  const isOpen = [schema['type']].flat().includes('object') && !('properties' in schema);
  return isOpen && !('additionalProperties' in schema)
    ? { ...schema, additionalProperties: true }
    : schema;
}

function parted(schema: Schema): Schema {
  const { type, ...rest } = schema;
  const types: readonly string[] = Array.isArray(type) ? (type as string[]) : [];
  if (types.filter((one) => one !== 'null').length < 2) return schema;
  const bound = new Set(types.flatMap((one) => KEYWORDS[one] ?? []));
  const common = Object.entries(rest).filter(([keyword]) => !bound.has(keyword));
  const alternatives = types.map((one) => {
    const own = Object.entries(rest).filter(([keyword]) => KEYWORDS[one]?.includes(keyword));
    return { type: one, ...Object.fromEntries(own) };
  });
  return { ...Object.fromEntries(common), oneOf: alternatives };
}
