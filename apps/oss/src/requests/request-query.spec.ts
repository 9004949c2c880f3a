import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { fuzzBudget } from '../../../../test/fuzz/budget.js';
import { lineForm } from './limits.js';
import {
  formRule,
  orElse,
  parameter,
  patternRule,
  readAs,
  RequestQuery,
  sizeRule,
  wholeRule,
  wordRule,
} from './request-query.js';
import { anyCharacter } from '../../../../test/fuzz/hostile-values.js';

const QUERY = new RequestQuery({
  limit: orElse(parameter('Most of a page.', wholeRule(1, 200)), 50),
  at: parameter(
    'A place.',
    readAs(patternRule('^[a-z]{1,3}$', 'a place'), (text) => [text]),
  ),
  labels: {
    prefix: 'label.',
    description: 'A label.',
    schema: {},
    take: (reader) => reader.withPrefix('label.', 2),
  },
});

function faultsOf(raw: object): readonly string[] {
  const { reader } = QUERY.begin(raw);
  return reader.faults.map(({ message, pointer }) => `${pointer} ${message}`);
}

describe('a query', () => {
  it('gives its values, and the default of one that is absent', () => {
    const sent = { limit: '7', at: 'ab', 'label.a': 'b' };
    expect(QUERY.read(sent)).toEqual({ limit: 7, at: ['ab'], labels: { a: 'b' } });
    expect(QUERY.read({})).toEqual({ limit: 50, at: undefined, labels: undefined });
  });

  it('is refused with all that is wrong with it', () => {
    expect(faultsOf({ limit: '0', at: 'abcd', other: '1' })).toEqual([
      '/other The parameter `other` is not known here.',
      '/limit The parameter `limit` must be a whole number from 1 to 200.',
      '/at The parameter `at` must be a place.',
    ]);
    expect(() => QUERY.read({ limit: '0' })).toThrow();
  });

  it('leaves others alone where they may be there', () => {
    const open = new RequestQuery({ at: parameter('', sizeRule(0, 9, '')) }, true);
    expect(open.read({ at: 'a', other: '1' })).toEqual({ at: 'a' });
  });

  it('is described with every parameter of one name, and its default', () => {
    expect(QUERY.parameters).toMatchObject([
      { name: 'limit', in: 'query', required: false, schema: { maximum: 200, default: 50 } },
      { name: 'at', schema: { type: 'string', pattern: '^[a-z]{1,3}$' } },
    ]);
    expect(QUERY.parameters).toHaveLength(2);
  });
});

const ajv = new Ajv2020({ strict: false });
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc.constantFrom('0', '1', '007', '20', '21', '1e1', '-1', '1.0', '', ' 1', 'ab', 'newest'),
  fc.constantFrom('\u{1f600}'.repeat(4), '\u{1f600}'.repeat(5), 'x'.repeat(5)),
);

describe('a rule', () => {
  it.each([
    ['a whole number', wholeRule(1, 20)],
    ['a pattern', patternRule('^[^\\x00-\\x1f]{0,4}$', '')],
    ['a size', sizeRule(1, 4, '')],
    ['a form', formRule(lineForm(1, 4), '')],
    ['one of a few words', wordRule(['newest', '20'], '')],
  ])('about %s takes what its schema takes', (_name, { read, schema }) => {
    const accepts = ajv.compile(schema);
    const isNumber = (schema as { readonly type: string }).type === 'integer';
    const property = fc.property(text, (one) => {
      const isWritten = !isNumber || /^[0-9]+$/.test(one);
      expect(read(one) !== null).toBe(isWritten && accepts(isNumber ? Number(one) : one));
    });
    fc.assert(property, fuzzBudget(1_000));
  });
});
