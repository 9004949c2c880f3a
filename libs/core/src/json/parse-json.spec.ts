import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { fuzzBudget } from '../../../../test/fuzz/budget.js';
import { parseJson } from './parse-json.js';

/** Names that are escapes, or look like them. */
const NAME = fc
  .array(fc.constantFrom('\\', '"', '\n', '\t', '\u0001', 'a', 'n', 'u', '0', '1', '/', ':'), {
    maxLength: 4,
  })
  .map((letters) => letters.join(''));

const { value: VALUE } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(0, -1.5e-7, true, null, '', '\\', '":', '{"\\n":1}', ' \u2028 '),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.oneof(NAME, fc.constant('__proto__')), tie('value')), { maxLength: 4 })
      .map(
        // Members of their own, also `__proto__`.
        (members) => Object.fromEntries(members) as unknown,
      ),
  ),
}));

/** The same value, each name of it as far as it would be written with as many letters as it has. */
function asWritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asWritten);
  if (typeof value !== 'object' || value === null) return [];
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      JSON.stringify(name).slice(1, 1 + name.length),
      asWritten(member),
    ]),
  );
}

describe('a JSON text', () => {
  it.each([
    ['{"zq":[],"\\\\":0}', { zq: 1, '\n': 2 }],
    ['{"in":{"zr":[],"a\\\\n":0}}', { in: { zr: 1, 'a\nb': 2 } }],
    ['[{"zs":[],"\\\\u0":0}]', [{ zs: 1, '\u0001ab': 2 }]],
  ])('is read as it is written, also after %s', (before, value) => {
    parseJson(before);
    expect(parseJson(JSON.stringify(value))).toStrictEqual(value);
  });

  it('is read as it is written, whatever was read before', () => {
    fc.assert(
      fc.property(VALUE, fc.constantFrom(undefined, 2), (value, space) => {
        parseJson(JSON.stringify(asWritten(value)));
        expect(parseJson(JSON.stringify(value, null, space))).toStrictEqual(value);
      }),
      fuzzBudget(2_000),
    );
  });

  it('with a member twice has the last one, where the first one stood', () => {
    const members = Object.entries(parseJson('{"\\n":1,"b":2,"\\u000a":3}') as object);
    expect(members).toEqual([
      ['\n', 3],
      ['b', 2],
    ]);
  });

  it('may be nested to any depth', () => {
    const levels = 20_000;
    let value = parseJson(`${'[{"\\n":'.repeat(levels)}1${'}]'.repeat(levels)}`);
    for (let n = 0; n < levels; n += 1)
      [value] = Object.values((value as object[])[0]!) as unknown[];
    expect(value).toBe(1);
  });

  it.each(['', '{"\\n":1', '{"\\n"}', '{"\\x":1}', '"\\', '[\\]'])('%j is refused', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});
