import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { expectLinear } from '../../../test/linear/linear-time.js';
import { checkInputSchema, validateAgainst } from './input-schema.js';
import { validateFlowText } from './parse-flow-file.js';

const HOSTS: JsonObject = {
  properties: {
    hosts: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
  },
};

const BOUNDED_HOSTS: JsonObject = {
  properties: {
    hosts: {
      type: 'array',
      maxItems: 50,
      items: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    },
  },
};

describe('parameters are checked in linear time', () => {
  it.each<[string, JsonObject, number, (size: number) => JsonObject]>([
    ['a choice that no entry fits', HOSTS, 100_000, (n) => ({ hosts: Array(n).fill(null) })],
    [
      'a choice that all but one fit',
      HOSTS,
      100_000,
      (n) => ({ hosts: [...Array(n).keys(), null] }),
    ],
    ['a list that is too long', BOUNDED_HOSTS, 100_000, (n) => ({ hosts: Array(n).fill(null) })],
    [
      'entries that must differ',
      { properties: { list: { uniqueItems: true } } },
      32_000,
      (n) => ({ list: Array.from({ length: n }, (_, i) => ({ i })) }),
    ],
    [
      'entries that must differ, too many of them',
      { properties: { list: { maxItems: 10, uniqueItems: true } } },
      32_000,
      (n) => ({ list: Array.from({ length: n }, (_, i) => ({ i })) }),
    ],
    [
      'a pattern of many choices',
      { properties: { text: { pattern: '^([a-zA-Z0-9]+\\s?)*$' } } },
      60_000,
      (n) => ({ text: `${'a'.repeat(n)}!` }),
    ],
    [
      'names that fit a pattern of many choices',
      { patternProperties: { '^(a+)+$': true } },
      60_000,
      (n) => ({ [`${'a'.repeat(n)}!`]: 1 }),
    ],
    [
      'members that nobody declared',
      { properties: { a: true } },
      40_000,
      (n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`x${i}`, i])),
    ],
    [
      'a url',
      { properties: { url: { format: 'url' } } },
      100_000,
      (n) => ({ url: `http://${':'.repeat(n)}.` }),
    ],
  ])('%s', (_name, schema, ...[size, make]) => {
    expect(checkInputSchema(schema)).toEqual([]);
    const read = (parameters: JsonObject) => validateAgainst(schema, parameters);
    expectLinear({ size, make, read });
  });
});

const STEPS = '[{"normal":{"module":"m","command":"c"}}]';

function withInput(input: object): string {
  return `{"f":{"input":${JSON.stringify(input)},"steps":${STEPS}}}`;
}

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `d${i}`);
}

describe('a flow file is read in linear time', () => {
  it.each<[string, number, (size: number) => string]>([
    ['nothing but open brackets', 500_000, (n) => '['.repeat(n)],
    ['nothing but commas', 200_000, (n) => `{${','.repeat(n)}`],
    ['nothing but comments', 500_000, (n) => '/**/'.repeat(n / 4)],
    ['a text of great length', 500_000, (n) => `{"f":"${'\\u0041'.repeat(n / 6)}"}`],
    ['a name of great length', 500_000, (n) => `{"${'f'.repeat(n)}":[]}`],
    [
      'a name of great length above many repeated members',
      200_000,
      (n) => `{"${'f'.repeat(n)}":{${'"a":1,'.repeat(n / 6)}}}`,
    ],
    [
      'a name of great length above many unknown members',
      200_000,
      (n) => `{"${'f'.repeat(n)}":[{"normal":{${'"a":1,'.repeat(n / 6)}}}]}`,
    ],
    [
      'a name of great length deep above many numbers that cannot be kept',
      40_000,
      (n) => `{"${'a/'.repeat(n / 2)}":${deep(`[${'1e400,'.repeat(n / 6)}]`)}}`,
    ],
    [
      'an input of many dependencies',
      20_000,
      (n) => withInput({ dependentRequired: Object.fromEntries(names(n).map((d) => [d, ['x']])) }),
    ],
    ['an input of many patterns', 20_000, (n) => withInput({ patternProperties: members(n) })],
    ['an input of many definitions', 60_000, (n) => withInput({ $defs: members(n) })],
    ['an input of many values', 20_000, (n) => withInput({ enum: names(n) })],
    ['an input of many required names', 20_000, (n) => withInput({ required: names(n) })],
    ['an input of one great pattern', 100_000, (n) => withInput({ pattern: '(a|b)'.repeat(n) })],
  ])('%s', (_name, size, make) => {
    expectLinear({ size, make, read: (text) => validateFlowText(text) });
  });

  function deep(text: string): string {
    return `${'{"b":'.repeat(60)}${text}${'}'.repeat(60)}`;
  }
});

function members(count: number): object {
  return Object.fromEntries(names(count).map((name) => [name, true]));
}

function withValues(count: number, valueAt: (i: number) => string): string {
  const values = Array.from({ length: count }, (_, i) => valueAt(i));
  return `{"f":{"input":{},"steps":[{"set":{"a":[${values.join()}]}}]}}`;
}

function lookingAt(name: string, i: number): string {
  return `{"name":"${name}","set":{"v${i}":"{% $steps.d${Math.max(0, i - 1)} & v0 %}"}}`;
}

describe('expressions are read in linear time', () => {
  it.each<[string, number, (size: number) => string]>([
    ['many expressions', 1_600, (n) => withValues(n, (i) => `"{% $steps.a & x${i} %}"`)],
    ['one expression many times', 200_000, (n) => withValues(n / 20, () => '"{% a + 1 %}"')],
    ['many texts that are nearly expressions', 200_000, (n) => withValues(n / 8, () => '"{% %"')],
    [
      'one expression of great length',
      200_000,
      (n) => withValues(1, () => `"{% ${'a+'.repeat(n / 2)} %}"`),
    ],
    [
      'an expression behind many escapes',
      200_000,
      (n) => withValues(1, () => `"{%${'\\n'.repeat(n / 2)} ) %}"`),
    ],
  ])('%s', (_name, size, make) => {
    expectLinear({ size, make, read: (text) => validateFlowText(text) });
  });
});

describe('steps of every kind are read in linear time', () => {
  it.each<[string, number, (size: number) => string]>([
    ['many cases', 100_000, (n) => `{"f":[{"choice":[${'{},'.repeat(n / 3)}]}]}`],
    ['many branches', 100_000, (n) => `{"f":[{"parallel":${JSON.stringify(members(n / 10))}}]}`],
    ['many clauses of a catch', 100_000, (n) => `{"f":[{"catch":[${'{},'.repeat(n / 3)}]}]}`],
    [
      'many codes of errors',
      100_000,
      (n) => `{"f":[{"set":{"a":1},"catch":[{"steps":[],"errors":[${'1,'.repeat(n / 2)}]}]}]}`,
    ],
    [
      'many steps that look at each other',
      1_000,
      (n) =>
        `{"f":[${names(n)
          .map((name, i) => lookingAt(name, i))
          .join()}]}`,
    ],
    [
      'many steps side by side that write the same',
      1_000,
      (n) =>
        `{"f":[${names(n)
          .map((name) => `{"name":"${name}","needs":[],"set":{"a":1}}`)
          .join()}]}`,
    ],
  ])('%s', (_name, size, make) => {
    expectLinear({ size, make, read: (text) => validateFlowText(text) });
  });
});
