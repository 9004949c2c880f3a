import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { checkInputSchema, validateAgainst } from './input-schema.js';

const SCHEMA: JsonObject = {
  type: 'object',
  required: ['cpu'],
  additionalProperties: false,
  properties: {
    cpu: { type: 'integer', minimum: 1, description: 'Cores of the instance.' },
    engine: { enum: ['mysql', 'mariadb'] },
    name: { type: 'string', title: 'the name', pattern: '^[a-z]+$' },
    owner: { type: 'string', format: 'email' },
    port: { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^[0-9]+$' }] },
    tags: { type: 'array', maxItems: 2, items: { type: 'string' } },
    constructor: { type: 'integer' },
  },
};

describe('parameters', () => {
  it.each([
    [{ cpu: 4 }, []],
    [{ cpu: 4, engine: 'mysql', name: 'a', owner: 'a@b.c', port: '1', tags: ['x'] }, []],
    [{}, [['/cpu', '`cpu` is missing.', 'Cores of the instance.']]],
    [{ cpu: '4' }, [['/cpu', ...mustBe('a whole number')]]],
    [{ cpu: 0 }, [['/cpu', '`cpu` must be at least 1.', 'Cores of the instance.']]],
    [{ cpu: 1, cpus: 2 }, [['/cpus', unknown('cpus'), 'Did you mean `cpu`?']]],
    [{ cpu: 1, engine: 'mysq' }, [['/engine', ...choice('mysql')]]],
    [{ cpu: 1, name: 's3cret' }, [['/name', '`name` does not have the form it must have.']]],
    [{ cpu: 1, owner: 'me' }, [['/owner', '`owner` is not written as email.']]],
    [{ cpu: 1, port: true }, [['/port', '`port` has none of the forms it may have.']]],
    [{ cpu: 1, tags: ['a', 2] }, [['/tags/1', '`tags.1` must be text, but is a number.']]],
    [[], [['', 'The parameters must be an object, but is a list.']]],
  ])('%j', (parameters, expected) => {
    const found = validateAgainst(SCHEMA, parameters).map((problem) => Object.values(problem));
    expect(found).toEqual(expected);
  });

  function mustBe(what: string): [string, string] {
    return [`\`cpu\` must be ${what}, but is text.`, 'Cores of the instance.'];
  }

  function unknown(name: string): string {
    return `The parameters cannot have a member \`${name}\`.`;
  }

  function choice(near: string): [string, string] {
    return ['`engine` must be "mysql" or "mariadb".', `Did you mean \`${near}\`?`];
  }

  it('that are wrong are never quoted, as they may be secret', () => {
    const wrong = { cpu: 'hunter2', name: 'Hunter2', engine: 'hunter2', owner: 'hunter2' };
    expect(JSON.stringify(validateAgainst(SCHEMA, wrong))).not.toMatch(/hunter2/i);
  });

  it('that a pattern names are not called unknown where their values are wrong', () => {
    const schema = { patternProperties: { '^x-': { type: 'string' } }, properties: {} };
    expect(validateAgainst(schema, { 'x-a': 1, b: 1 })).toMatchObject([
      { pointer: '/x-a', message: '`x-a` must be text, but is a number.' },
      { pointer: '/b', message: 'The parameters cannot have a member `b`.' },
    ]);
  });

  it('are multiples as they are written in decimals, however large', () => {
    const isTaken = (value: number, multipleOf: number): boolean => {
      return validateAgainst({ properties: { a: { multipleOf } } }, { a: value }).length === 0;
    };
    for (const price of [0, 0.07, 4.35, 19.99, -19.99, 123456789.01, 1e300]) {
      expect([price, isTaken(price, 0.01)]).toEqual([price, true]);
    }
    for (const other of [0.001, 19.995, 123456789.0101, 1.0000001]) {
      expect([other, isTaken(other, 0.01)]).toEqual([other, false]);
    }
    expect([isTaken(7, 2), isTaken(8, 2), isTaken(1e308, 1e-308)]).toEqual([false, true, false]);
    expect(validateAgainst({ properties: { a: { multipleOf: 2 } } }, { a: 7 })).toEqual([
      { pointer: '/a', message: '`a` must be a multiple of 2.' },
    ]);
  });

  it('inherit nothing: a member must be there by itself', () => {
    const schema = { required: ['toString'] };
    expect(validateAgainst(schema, {})).toMatchObject([{ pointer: '/toString' }]);
  });

  it('are refused, not waited for, when a stored schema cannot be used', () => {
    expect(validateAgainst({ $ref: '#' }, {})).toHaveLength(1);
    expect(validateAgainst({ type: 'nonsense' }, {})).toHaveLength(1);
  });
});

describe('a schema', () => {
  it.each<[JsonObject, string[]]>([
    [SCHEMA, []],
    [{}, []],
    [{ $defs: { size: { type: 'integer' } }, properties: { cpu: { $ref: '#/$defs/size' } } }, []],
    [{ anyOf: [{ required: ['a'] }, { required: ['b'] }], not: { required: ['c'] } }, []],
    [{ patternProperties: { '^x-': true }, dependentRequired: { a: ['b'] } }, []],
    [{ type: ['object', 'null'] }, []],
    [{ type: 'string' }, ['/type']],
    [{ type: 'intger' }, ['/type', '/type']],
    [{ required: 'cpu' }, ['/required']],
    [{ required: ['cpu', 'cpu'] }, ['/required']],
    [{ properties: [] }, ['/properties']],
    [{ properties: { a: 3, b: { minimum: '1' } } }, ['/properties/a', '/properties/b/minimum']],
    [{ patternProperties: { '(': {} } }, ['/patternProperties/(']],
    [{ allOf: [] }, ['/allOf']],
    [{ items: { allOf: [{ maxLength: -1 }] } }, ['/items/allOf/0/maxLength']],
    [{ properties: { a: { format: 'emial' } } }, ['/properties/a/format']],
    [{ properties: { a: { multipleOf: 0 } } }, ['/properties/a/multipleOf']],
    [{ $id: 'x' }, ['/$id']],
    [{ $async: true }, ['/$async']],
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, ['/$schema']],
    [{ properties: { a: { $ref: 'https://example.org/x' } } }, ['/properties/a/$ref']],
    [{ $ref: 3 }, ['/$ref']],
    [{ $ref: '#' }, ['']],
    [{ $ref: '#/$defs/a', $defs: { a: { properties: { a: { $ref: '#/$defs/a' } } } } }, []],
  ])('%j has its faults at %j', (schema, pointers) => {
    expect(checkInputSchema(schema).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it('must not be endless work, neither to compile nor to run', () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => {
        const twice = { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] };
        return [`d${i}`, i === 59 ? { type: 'object' } : twice];
      }),
    );
    const bomb = { $ref: '#/$defs/d0', $defs: doubling };
    expect(checkInputSchema(bomb)).toMatchObject([
      { message: expect.stringContaining('would take too long') },
    ]);
    const long = { anyOf: Array.from({ length: 751 }, () => ({ type: 'object' })) };
    expect(checkInputSchema(long)).toMatchObject([
      { message: expect.stringContaining('holds more than') },
    ]);
  });

  it('may be one of many: compilers come and go', () => {
    for (let i = 0; i < 250; i += 1) {
      expect(validateAgainst({ properties: { a: { minimum: i } } }, { a: i - 1 })).toHaveLength(1);
    }
  });
});
