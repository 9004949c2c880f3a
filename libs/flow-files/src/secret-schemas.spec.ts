import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '#core';
import { changeSecrets, hasSecretInput, MASK } from '#core/secrets';
import { fuzzBudget } from '../../../test/fuzz/budget.js';
import { checkInputSchema, inputWarnings, validateAgainst } from './input-schema.js';

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

/** A schema, and a value in which the secret stands where the schema calls it so. */
interface Placed {
  readonly schema: JsonObject;
  readonly value: JsonValue;
  readonly definitions: JsonObject;
}

const CLEAR = 'the-secret-in-clear';

/** Schemas around one in which a secret is, with the value that has it there. */
const AROUND: Readonly<Record<string, (placed: Placed) => Omit<Placed, 'definitions'>>> = {
  properties: ({ schema, value }) => ({
    schema: { properties: { a: schema } },
    value: { a: value },
  }),
  patternProperties: ({ schema, value }) => {
    return { schema: { patternProperties: { '^x': schema } }, value: { xy: value } };
  },
  additionalProperties: ({ schema, value }) => {
    return { schema: { properties: { b: {} }, additionalProperties: schema }, value: { c: value } };
  },
  unevaluatedProperties: ({ schema, value }) => {
    return { schema: { unevaluatedProperties: schema }, value: { b: 1, c: value } };
  },
  items: ({ schema, value }) => ({ schema: { items: schema }, value: [value, value] }),
  prefixItems: ({ schema, value }) => {
    return { schema: { prefixItems: [{}, schema], items: {} }, value: [1, value, 2] };
  },
  unevaluatedItems: ({ schema, value }) => {
    return { schema: { prefixItems: [{}], unevaluatedItems: schema }, value: [1, value] };
  },
  contains: ({ schema, value }) => ({ schema: { contains: schema }, value: [value] }),
  propertyNames: ({ schema, value }) => ({
    schema: { propertyNames: schema },
    value: typeof value === 'string' ? { [value]: 1 } : value,
  }),
  ...Object.fromEntries(
    ['if', 'then', 'else', 'not'].map((keyword) => [
      keyword,
      ({ schema, value }: Placed) => ({ schema: { if: true, [keyword]: schema }, value }),
    ]),
  ),
  ...Object.fromEntries(
    ['allOf', 'anyOf', 'oneOf'].map((keyword) => [
      keyword,
      ({ schema, value }: Placed) => ({ schema: { [keyword]: [{ title: 'x' }, schema] }, value }),
    ]),
  ),
  dependentSchemas: ({ schema, value }) => {
    return { schema: { dependentSchemas: { a: schema } }, value };
  },
};

function refer({ definitions, schema, value }: Placed, depth: number): Placed {
  const name = `d${depth}`;
  const next = { ...definitions, [name]: schema };
  return { schema: { $ref: `#/$defs/${name}` }, value, definitions: next };
}

describe('the schema of a secret', () => {
  it('is refused wherever what a request sends there would not be sealed', () => {
    const around = fc.array(fc.constantFrom('$ref', ...Object.keys(AROUND)), { maxLength: 6 });
    const isKept = fc.property(around, (keywords) => {
      let placed: Placed = { schema: { secret: true }, value: CLEAR, definitions: {} };
      for (const [depth, keyword] of keywords.entries()) {
        const next = AROUND[keyword]?.(placed);
        placed = next === undefined ? refer(placed, depth) : { ...placed, ...next };
      }
      // Parameters are an object.
      if (Array.isArray(placed.value)) placed = { ...placed, ...AROUND['properties']?.(placed) };
      const { definitions, schema, value } = placed;
      const input = { ...schema, $defs: { ...definitions, other: {} } };
      const findings = checkInputSchema(input);
      if (findings.length > 0) {
        expect(findings).toMatchObject([{ code: 'MISPLACED_SECRET' }]);
        const isRoot = keywords.every((each) => !/ties$|tems$|contains/.test(each));
        expect(isRoot || keywords.some((each) => /^not|Names$/.test(each))).toBe(true);
        return;
      }
      expect(hasSecretInput({ input })).toBe(true);
      const sealed = changeSecrets({ input }, value as JsonObject, () => MASK);
      expect(JSON.stringify(sealed)).not.toContain(CLEAR);
    });
    fc.assert(isKept, fuzzBudget(1_000));
  });

  it('says where it holds the secret itself', () => {
    const values = { default: 'a', const: 'a', enum: ['a'], examples: ['b'] };
    const input = {
      properties: { pw: { ...values, secret: true }, plain: values },
      $defs: { pw: { items: [], allOf: [{ secret: true, default: 1 }] } },
    };
    const found = inputWarnings(input).map(({ code, pointer }) => `${code} ${pointer}`);
    expect(found).toEqual(
      ['/properties/pw/default', '/properties/pw/const', '/properties/pw/enum']
        .concat('/$defs/pw/allOf/0/default')
        .map((pointer) => `SECRET_IN_CLEAR ${pointer}`),
    );
  });
});
