import { describe, expect, it } from '@jest/globals';
import { SchemaPlaces } from './schema-places-spec.js';
import { openApiDocument } from './openapi.js';
import { portableSchema } from './portable-schema.js';

const places = new SchemaPlaces(openApiDocument());

/** The places at which a rule is broken. */
function broken(isBroken: (schema: Record<string, unknown>) => boolean): readonly string[] {
  return places.all.filter(({ schema }) => isBroken(schema)).map(({ pointer }) => pointer);
}

describe('a schema of the document', () => {
  it('is looked at wherever it stands', () => {
    expect(places.all.length).toBeGreaterThan(1_500);
  });

  it('has one type besides null', () => {
    expect(broken(({ type }) => [type].flat().filter((one) => one !== 'null').length > 1)).toEqual(
      [],
    );
  });

  it('says the type of its values', () => {
    const isBroken = (schema: object): boolean => 'enum' in schema || 'const' in schema;
    expect(broken((schema) => isBroken(schema) && !('type' in schema))).toEqual([]);
  });

  it('names the members of an object, or says that it is open', () => {
    const isObject = (type: unknown): boolean => [type].flat().includes('object');
    const says = (schema: object): boolean =>
      'properties' in schema || 'additionalProperties' in schema;
    expect(broken((schema) => isObject(schema['type']) && !says(schema))).toEqual([]);
  });

  it('says of which items a list is', () => {
    const isList = (type: unknown): boolean => [type].flat().includes('array');
    expect(broken((schema) => isList(schema['type']) && !('items' in schema))).toEqual([]);
  });

  it('has alternatives that one look tells apart', () => {
    expect(places.doubtful()).toEqual([]);
  });
});

describe('the portable form of a schema', () => {
  it.each([
    [{ enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    [{ enum: [1, null] }, { type: ['integer', 'null'], enum: [1, null] }],
    [{ const: true }, { type: 'boolean', const: true }],
    [{ type: 'object' }, { type: 'object', additionalProperties: true }],
    [
      { type: ['object', 'null'], description: 'd' },
      { type: ['object', 'null'], description: 'd', additionalProperties: true },
    ],
    [
      { type: ['string', 'number'], pattern: '^a$', description: 'd' },
      { description: 'd', oneOf: [{ type: 'string', pattern: '^a$' }, { type: 'number' }] },
    ],
    [
      { type: 'object', properties: { enum: { type: 'object' }, type: { enum: ['a'] } } },
      {
        type: 'object',
        properties: {
          enum: { type: 'object', additionalProperties: true },
          type: { type: 'string', enum: ['a'] },
        },
      },
    ],
    [
      { type: 'array', items: { const: 'a' } },
      { type: 'array', items: { type: 'string', const: 'a' } },
    ],
    [{ default: { type: 'object' } }, { default: { type: 'object' } }],
  ])('of %j takes the same', (schema, portable) => {
    expect(portableSchema(schema)).toEqual(portable);
    expect(portableSchema(portable)).toEqual(portable);
  });
});
