import type { JsonObject, JsonValue } from '#core';

/**
 * The smallest parameters that a flow's `input` seems to ask for: its required members, each by its
 * default, an example, or the simplest value of its type. The schema may
 * still refuse them.
 */
export function sampleParameters(input: JsonObject | null): JsonObject {
  const made = input === null ? {} : sampleOf(input);
  return isObject(made) ? made : {};
}

function sampleOf(schema: JsonValue | undefined): JsonValue {
  if (!isObject(schema)) return 'sample';
  const [given] = [
    schema['default'],
    schema['const'],
    firstOf(schema['examples']),
    firstOf(schema['enum']),
  ].filter((value) => value !== undefined);
  if (given !== undefined) return given;
  const { type } = schema;
  switch (Array.isArray(type) ? type[0] : (type ?? (schema['properties'] ? 'object' : 'string'))) {
    case 'object':
      return sampleObject(schema);
    case 'array':
      return Array.from({ length: numberOf(schema['minItems'], 0) }, () => {
        return sampleOf(schema['items']);
      });
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return sampleText(schema);
  }
}

function sampleObject({ properties, required }: JsonObject): JsonObject {
  const names = Array.isArray(required) ? required.map(String) : [];
  const schemas = new Map(Object.entries(isObject(properties) ? properties : {}));
  return Object.fromEntries(names.map((name) => [name, sampleOf(schemas.get(name) ?? {})]));
}

function sampleNumber(schema: JsonObject): number {
  const above = numberOf(schema['exclusiveMinimum'], 0);
  const least = Math.max(numberOf(schema['minimum'], 1), above + 1);
  const step = numberOf(schema['multipleOf'], 0);
  const value = step > 0 ? Math.ceil(least / step) * step : least;
  return Math.min(value, numberOf(schema['maximum'], Infinity));
}

function sampleText({ format, maxLength, minLength }: JsonObject): string {
  if (format === 'date-time') return '2030-01-01T00:00:00Z';
  if (format === 'date') return '2030-01-01';
  if (format === 'uri') return 'https://example.com/';
  if (format === 'email') return 'somebody@example.com';
  if (format === 'uuid') return '00000000-0000-4000-8000-000000000000';
  const text = 'sample'.padEnd(numberOf(minLength, 0), 'x');
  return text.slice(0, numberOf(maxLength, Infinity));
}

function numberOf(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function firstOf(value: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[])[0] : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
