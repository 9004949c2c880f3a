import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from './json.js';
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

describe('what an input calls secret', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['a member', { properties: { a: SECRET } }, { a: 'x', b: 'y' }, ['/a']],
    ['an object, as a whole', { properties: { a: { secret: true } } }, { a: { b: 1 } }, ['/a']],
    [
      'a member of a member',
      { properties: { a: { properties: { 'b/~': SECRET } } } },
      { a: { 'b/~': 'x' } },
      ['/a/b~1~0'],
    ],
    [
      'entries of a list',
      { properties: { a: { prefixItems: [{}, SECRET], items: SECRET } } },
      { a: ['x', 'y', 'z'] },
      ['/a/1', '/a/2'],
    ],
    [
      'other members',
      { additionalProperties: SECRET, properties: { a: {} } },
      { a: 1, b: 2 },
      ['/b'],
    ],
    ['what a pattern names', { patternProperties: { '^p': SECRET } }, { pw: 'x' }, ['/pw']],
    [
      'a member by reference',
      { properties: { a: { $ref: '#/$defs/p' } }, $defs: { p: SECRET } },
      { a: 'x' },
      ['/a'],
    ],
    [
      'a member of one of several forms',
      { anyOf: [{ properties: { a: SECRET } }, {}] },
      { a: 'x' },
      ['/a'],
    ],
    [
      'a member under a condition',
      { if: {}, then: { properties: { a: SECRET } } },
      { a: 'x' },
      ['/a'],
    ],
    [
      'members of a tree',
      { properties: { pw: SECRET, inner: { $ref: '#' } } },
      { inner: { inner: { pw: 'x' } } },
      ['/inner/inner/pw'],
    ],
  ])('may be %s', (_, input, value, expected) => {
    expect(hasSecretInput({ input })).toBe(true);
    expect(secretsIn(input, value)).toEqual(expected);
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
