import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../json/json.js';
import { isReference, referenceParts, referencesIn, mapReferences } from './secret-reference.js';

describe('a reference to a secret', () => {
  it.each([
    ['file:db/password', { resolver: 'file', path: 'db/password', key: null }],
    ['vault:kv/db#password', { resolver: 'vault', path: 'kv/db', key: 'password' }],
    ['my-own2:arn:aws:x/y_z@1', { resolver: 'my-own2', path: 'arn:aws:x/y_z@1', key: null }],
    ['file:..data/a.b', { resolver: 'file', path: '..data/a.b', key: null }],
  ])('has parts: %s', (text, parts) => {
    expect(referenceParts(text)).toEqual(parts);
    expect(isReference({ $secret: text })).toBe(true);
  });

  it.each([
    '',
    'password',
    'file:',
    ':a',
    'File:a',
    'file:/a',
    'file:a/',
    'file:a//b',
    'file:../a',
    'file:a/..',
    'file:a/./b',
    'file:a b',
    'file:a%2fb',
    'file:a\\b',
    'file:a*',
    'file:a?b',
    'file:a\n',
    'vault:a#',
    'vault:a#b#c',
    'vault:a#b/c',
    `file:${'a'.repeat(512)}`,
  ])('does not have the form: %j', (text) => {
    expect(referenceParts(text)).toBeNull();
    expect(isReference({ $secret: text })).toBe(false);
  });

  it.each<JsonValue>(['file:a', { $secret: 1 }, { $secret: 'file:a', more: 1 }, ['file:a'], null])(
    'is nothing else: %j',
    (value) => {
      expect(isReference(value)).toBe(false);
    },
  );

  it('is found and replaced wherever it stands, and nothing else is', () => {
    const value: JsonObject = {
      a: { $secret: 'file:a' },
      list: [{ b: { $secret: 'file:b' } }, 'file:c'],
      wrong: { $secret: 'no' },
    };
    expect(referencesIn([value, value])).toEqual(['file:a', 'file:b']);
    const clear = mapReferences(value, (text) => (text === 'file:b' ? 'clear' : undefined));
    expect(clear).toEqual({ ...value, list: [{ b: 'clear' }, 'file:c'] });
    expect(mapReferences(value, () => undefined)).toBe(value);
  });
});
