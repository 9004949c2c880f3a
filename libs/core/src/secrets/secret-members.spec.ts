import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json/json.js';
import { changeSecrets, hasSecretInput } from './secret-members.js';

const SECRET = { type: 'string', secret: true };

/** Pointers of what is secret in a value. */
function secretsIn(input: JsonObject, value: JsonObject): readonly string[] {
  const found: string[] = [];
  changeSecrets({ input }, value, (each, pointer) => {
    found.push(pointer);
    return each;
  });
  return found;
}

interface Case {
  readonly what: string;
  /** As JSON. */
  readonly input: string;
  readonly value: JsonObject;
  readonly secret: readonly string[];
}

const CASES: readonly Case[] = [
  {
    what: 'a member',
    input: '{"properties": {"a": {"secret": true}}}',
    value: { a: 'x', b: 'y' },
    secret: ['/a'],
  },
  {
    what: 'an object, as a whole',
    input: '{"properties": {"a": {"type": "object", "secret": true}}}',
    value: { a: { b: 1 } },
    secret: ['/a'],
  },
  {
    what: 'a member of a member',
    input: '{"properties": {"a": {"properties": {"b/~": {"secret": true}}}}}',
    value: { a: { 'b/~': 'x' } },
    secret: ['/a/b~1~0'],
  },
  {
    what: 'entries of a list',
    input:
      '{"properties": {"a": {"prefixItems": [{}, {"$ref": "#/$defs/p"}],' +
      '"items": {"$ref": "#/$defs/p"}}}, "$defs": {"p": {"secret": true}}}',
    value: { a: ['x', 'y', 'z'] },
    secret: ['/a/1', '/a/2'],
  },
  {
    what: 'other members',
    input: '{"additionalProperties": {"secret": true}, "properties": {"a": {}}}',
    value: { a: 1, b: 2 },
    secret: ['/b'],
  },
  {
    what: 'what a pattern names',
    input: '{"patternProperties": {"^p": {"secret": true}}}',
    value: { pw: 'x' },
    secret: ['/pw'],
  },
  {
    what: 'a member by reference',
    input: '{"properties": {"a": {"$ref": "#/$defs/p"}}, "$defs": {"p": {"secret": true}}}',
    value: { a: 'x' },
    secret: ['/a'],
  },
  {
    what: 'a member of one of several forms',
    input: '{"anyOf": [{"properties": {"a": {"secret": true}}}, {}]}',
    value: { a: 'x' },
    secret: ['/a'],
  },
  {
    what: 'a member under a condition',
    input: '{"if": {}, "then": {"properties": {"a": {"secret": true}}}}',
    value: { a: 'x' },
    secret: ['/a'],
  },
  {
    what: 'members of a tree',
    input: '{"properties": {"pw": {"secret": true}, "inner": {"$ref": "#"}}}',
    value: { inner: { inner: { pw: 'x' } } },
    secret: ['/inner/inner/pw'],
  },
];

describe('what an input calls secret', () => {
  it.each(CASES)('may be $what', ({ input: text, secret, value }) => {
    const input = JSON.parse(text) as JsonObject;
    expect(hasSecretInput({ input })).toBe(true);
    expect(secretsIn(input, value)).toEqual(secret);
  });

  it('is nothing where a member is only called so, or described', () => {
    const input = {
      properties: { secret: true, a: { const: { secret: true }, default: { secret: true } } },
      examples: [{ secret: true }],
    };
    expect(hasSecretInput({ input })).toBe(false);
    expect(hasSecretInput({ input: null })).toBe(false);
  });

  it('leaves the same object where nothing of it is there', () => {
    const value = { b: { c: [1] } };
    expect(changeSecrets({ input: { properties: { a: SECRET } } }, value, () => '')).toBe(value);
  });

  it('has an end, whatever refers to what', () => {
    const input = { properties: { a: SECRET }, allOf: [{ $ref: '#' }], $ref: '#' };
    expect(secretsIn(input, { a: 'x' })).toEqual(['/a']);
  });
});
