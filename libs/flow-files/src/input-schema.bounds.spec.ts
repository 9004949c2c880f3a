import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '#core';
import { checkInputSchema, validateAgainst } from './input-schema.js';

/** A schema whose definition `n` is this; `n` refers to itself where `ref` stands. */
function ring(n: JsonValue): JsonObject {
  return { properties: { tree: ref }, $defs: { n } };
}

const ref = { $ref: '#/$defs/n' };

describe('a recursive schema', () => {
  it.each<[string, JsonValue]>([
    ['a list of lists', { type: 'array', items: ref }],
    ['a tree of two branches', { properties: { left: ref, right: ref } }],
    [
      'an expression, whose choices lead to different members',
      {
        anyOf: [
          { type: 'string' },
          { properties: { and: { items: ref } } },
          { properties: { not: ref } },
          { properties: { or: { items: ref } } },
        ],
      },
    ],
    ['members of any name', { properties: { a: ref }, additionalProperties: ref }],
  ])('can be used if only one branch leads to each part: %s', (_name, definition) => {
    expect(checkInputSchema(ring(definition))).toEqual([]);
  });

  it.each<[string, JsonValue]>([
    ['two choices', { anyOf: [{ properties: { a: ref } }, { properties: { a: ref } }] }],
    ['two demands', { allOf: [{ items: ref }, { items: ref }] }],
    ['a member and its pattern', { properties: { a: ref }, patternProperties: { a: ref } }],
    ['entries and some of them', { items: ref, contains: ref }],
    [
      'two levels at once',
      { allOf: [{ properties: { a: ref } }, { properties: { a: { properties: { a: ref } } } }] },
    ],
  ])('is refused if the work doubles at each level: %s', (_name, definition) => {
    expect(checkInputSchema(ring(definition))).toMatchObject([
      { message: expect.stringContaining('more than once for one and the same value') },
    ]);
  });

  it('is refused if it never comes to an end', () => {
    expect(checkInputSchema(ring({ allOf: [ref] }))).toMatchObject([
      { message: expect.stringContaining('refers to itself without end') },
    ]);
  });

  it('is refused through a chain of others too', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => {
        const next = { $ref: `#/$defs/d${i + 1}` };
        const self = { $ref: `#/$defs/d${i}` };
        const both = [{ properties: { a: self } }, { properties: { a: i === 19 ? true : next } }];
        return [`d${i}`, { allOf: both }];
      }),
    );
    const schema = { properties: { tree: { $ref: '#/$defs/d0' } }, $defs: chain };
    expect(checkInputSchema(schema)).toMatchObject([
      { message: expect.stringContaining('more than once') },
    ]);
  });
});

describe('a pattern', () => {
  it.each([
    '^(?=a)',
    '(a)\\1',
    '(?<!a)b',
    '((a{100}){100}){100}',
    'a'.repeat(3_000),
    '[[:alpha:]]',
  ])('%.30s is refused where a schema is loaded', (pattern) => {
    for (const schema of [{ pattern }, { properties: { a: { pattern } } }]) {
      expect(checkInputSchema(schema)).toHaveLength(1);
    }
    expect(checkInputSchema({ patternProperties: { [pattern]: true } })).toHaveLength(1);
  });

  it.each(['^[a-z][a-z0-9-]{0,62}$', '^\\p{L}+$', '^([a-zA-Z0-9]+\\s?)*$', '^\\d{4}-\\d{2}$'])(
    '%s can be used',
    (pattern) => expect(checkInputSchema({ pattern })).toEqual([]),
  );
});

it('every value of a schema counts, whatever keyword holds it', () => {
  const names = Array.from({ length: 1_600 }, (_, i) => `d${i}`);
  const members = Object.fromEntries(names.map((name) => [name, true]));
  const lists = Object.fromEntries(names.map((name) => [name, ['x']]));
  const schemas: readonly JsonObject[] = [
    { required: names },
    { enum: names },
    { const: names },
    { properties: members },
    { patternProperties: members },
    { dependentSchemas: members },
    { dependentRequired: lists },
    { $defs: members },
    { type: names },
  ];
  for (const schema of schemas) {
    expect(checkInputSchema(schema)).toMatchObject([
      { message: expect.stringContaining('holds more than 1500 values') },
    ]);
  }
  expect(checkInputSchema({ properties: { size: { enum: names.slice(0, 1_400) } } })).toEqual([]);
});

it('at most 20 problems are told, and only the first of a great many', () => {
  const schema = { properties: { list: { items: { type: 'string' } } } };
  expect(validateAgainst(schema, { list: Array(30).fill(1) })).toHaveLength(20);
  expect(validateAgainst(schema, { list: Array(100_000).fill(1) })).toEqual([
    { pointer: '/list/0', message: '`list.0` must be text, but is a number.' },
  ]);
});

describe('a member that a schema does not declare', () => {
  const a = { properties: { a: true } };
  const b = { properties: { b: true } };
  // As text: an object with a member `then` looks like a promise.
  const ifA = JSON.parse(
    '{"if": {"properties": {"a": true}, "required": ["a"]}, "then": {"properties": {"b": true}}}',
  ) as JsonObject;

  it.each<[JsonObject, JsonObject, string[]]>([
    [{}, {}, []],
    [{}, { a: 1 }, ['/a']],
    [a, { a: 1 }, []],
    [a, { a: 1, b: 2 }, ['/b']],
    [{ ...a, additionalProperties: true }, { b: 2 }, []],
    [{ ...a, additionalProperties: { type: 'string' } }, { b: 'x' }, []],
    [{ ...a, unevaluatedProperties: true }, { b: 2 }, []],
    [{ patternProperties: { '^x-': true } }, { 'x-a': 1, y: 2 }, ['/y']],
    [{ allOf: [a, b] }, { a: 1, b: 2 }, []],
    [{ allOf: [a, b] }, { a: 1, c: 2 }, ['/c']],
    [{ allOf: [{ additionalProperties: true }] }, { c: 2 }, []],
    [{ anyOf: [{ ...a, required: ['a'] }, b] }, { b: 2 }, []],
    [
      {
        oneOf: [
          { ...a, required: ['a'] },
          { ...b, required: ['b'] },
        ],
      },
      { b: 1, c: 2 },
      ['/c'],
    ],
    [{ ...ifA, else: { properties: { c: true } } }, { c: 1 }, []],
    [ifA, { a: 1, b: 2 }, []],
    [ifA, { b: 2 }, ['/b']],
    [{ $ref: '#/$defs/a', $defs: { a } }, { a: 1, b: 2 }, ['/b']],
    [{ dependentSchemas: { a: b }, ...a }, { a: 1, b: 2 }, []],
    [{ properties: { sub: a } }, { sub: { b: 2 } }, []],
    [{ properties: { sub: { $ref: '#' } } }, { sub: { b: 2 } }, []],
  ])('%j refuses of %j just %j', (schema, parameters, pointers) => {
    expect(checkInputSchema(schema)).toEqual([]);
    expect(validateAgainst(schema, parameters).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it('comes with the name that was meant, wherever that is declared', () => {
    const schema = {
      allOf: [{ $ref: '#/$defs/size' }],
      $defs: { size: { properties: { cpu: {} } } },
    };
    expect(validateAgainst(schema, { cpus: 1 })).toEqual([
      {
        pointer: '/cpus',
        message: 'The parameters cannot have a member `cpus`.',
        hint: 'Did you mean `cpu`?',
      },
    ]);
  });

  it('is not told of a member of a choice that is refused already', () => {
    const schema = { anyOf: [{ properties: { a: { type: 'string' } } }] };
    const pointers = validateAgainst(schema, { a: 1, b: 2 }).map(({ pointer }) => pointer);
    expect(pointers).toEqual(['', '/b']);
  });
});
