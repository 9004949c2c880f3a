import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { validateAgainst } from './input-schema.js';

const PW = { type: 'string', minLength: 12, secret: true, description: 'The password.' };
const SECRET = { $secret: 'vault:kv/db#password' };
const SCHEMA: JsonObject = {
  type: 'object',
  required: ['pw'],
  properties: {
    pw: PW,
    users: { type: 'array', items: { properties: { pass: { $ref: '#/$defs/pw' } } } },
    kind: { oneOf: [{ type: 'integer', secret: true }, { const: 'none' }] },
    account: { type: 'object', required: ['name'], secret: true },
    name: { type: 'string' },
    secret: { const: { secret: true } },
  },
  $defs: { pw: PW },
};

function pointersOf(parameters: JsonObject, schema = SCHEMA): readonly string[] {
  return validateAgainst(schema, parameters).map(({ pointer }) => pointer);
}

describe('an input with secrets', () => {
  it.each<JsonObject>([
    { pw: SECRET },
    { pw: 'a-long-password', users: [{ pass: SECRET }, { pass: 'a-long-password' }] },
    { pw: SECRET, account: SECRET },
    { pw: SECRET, kind: SECRET },
    { pw: SECRET, secret: { secret: true } },
  ])('takes a reference in the place of each: %j', (parameters) => {
    expect(pointersOf(parameters)).toEqual([]);
  });

  it.each<[JsonObject, string]>([
    [{ pw: 'short' }, '/pw'],
    [{ pw: SECRET, users: [{ pass: 'short' }] }, '/users/0/pass'],
    [{ pw: SECRET, account: {} }, '/account/name'],
    [{ pw: SECRET, kind: 'other' }, '/kind'],
    [{ pw: SECRET, name: SECRET }, '/name'],
    [{ pw: { ...SECRET, more: 1 } }, '/pw'],
    [{ pw: { $secret: 1 } }, '/pw'],
    [{ pw: SECRET, more: SECRET }, '/more'],
    [{}, '/pw'],
  ])('takes nothing else that it would not: %j', (parameters, pointer) => {
    expect(pointersOf(parameters)).toEqual([pointer]);
  });

  it('says of one that is missing what it is for', () => {
    expect(validateAgainst(SCHEMA, {})).toMatchObject([{ hint: 'The password.' }]);
  });

  it('takes one in each branch that calls it secret, and refuses it in others', () => {
    const branches = (...all: readonly JsonObject[]): JsonObject => {
      return { allOf: all.map((pw) => ({ properties: { pw } })) };
    };
    expect(pointersOf({ pw: SECRET }, branches(PW, { secret: true, maxLength: 3 }))).toEqual([]);
    expect(pointersOf({ pw: SECRET }, branches(PW, { type: 'string' }))).toEqual(['/pw']);
  });
});
