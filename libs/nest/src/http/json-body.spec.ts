import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { fuzzBudget } from '../../../../test/fuzz/budget.js';
import { parseBody } from './json-body.js';
import { Problem } from './problems.js';

function problemOf(text: string | Buffer): Problem {
  try {
    parseBody(Buffer.from(text as string));
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('a JSON body', () => {
  it('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        fc.pre(!text.includes('__proto__'));
        expect(parseBody(Buffer.from(text))).toEqual(value);
      }),
    );
  });

  it('may begin with a byte order mark and have any keys but one', () => {
    const value = { $where: 1, 'a.b': 2, constructor: 3, prototype: 4, '': { hasOwnProperty: 5 } };
    expect(parseBody(Buffer.from(`\uFEFF${JSON.stringify(value)}`))).toEqual(value);
  });

  it.each([
    ['{"a": 1,}', 'Line 1, column 9: a member in double quotes should stand here.'],
    ['{\n  "a": tru\n}', 'Line 2, column 8: this is no JSON value; put text in double quotes.'],
    ['{"a" 1}', 'Line 1, column 6: a colon should stand here.'],
    ['{"a": 1} {}', 'Line 1, column 10: the text should end here.'],
    ['{"a": "b', 'Line 1, column 7: a text begins here that has no closing double quote.'],
    ['{"a": 1', 'Line 1, column 8: a closing } should stand here.'],
    ['// c\n{}', 'Line 1, column 1: JSON has no comments.'],
    [' \n ', 'The body is empty; send a JSON object.'],
    ['', 'The body is empty; send a JSON object.'],
  ])('tells where %j is wrong', (text, detail) => {
    expect(problemOf(text)).toMatchObject({ code: 'MALFORMED_JSON', message: detail });
  });

  it('has some sentence for every text that is not JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        fc.pre(!isJson(text));
        const { code, message } = problemOf(text);
        expect(code).toBe('MALFORMED_JSON');
        expect(message).not.toContain('undefined');
      }),
    );
  });

  it('must be UTF-8', () => {
    expect(problemOf(Buffer.from([0x22, 0xc3, 0x22])).code).toBe('MALFORMED_JSON');
    expect(problemOf(Buffer.from('"\u0001"', 'utf16le')).code).toBe('MALFORMED_JSON');
  });

  it.each([
    ['{"a":{"__proto__":{}}}', '/a/__proto__'],
    ['[{"\\u005f_proto__":1}]', '/0/__proto__'],
    ['{"a~/b":[1,1e999]}', '/a~0~1b/1'],
    ['{"a":{"id":12345678901234567890}}', '/a/id'],
    ['[9007199254740992,9007199254740993]', '/0'],
    ['{"a":"\\ud800"}', '/a'],
    ['{"a":{"\\udc00":1}}', '/a'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, '/0'.repeat(64)],
    ['{"flow":"a","flow":"b"}', '/flow'],
    ['{"flow":"a","flow":"a"}', '/flow'],
    ['[0,{"a":[{}, {"b":1,"c":{"d":",:"},"b":2}]}]', '/1/a/1/b'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"a\\"":"\\\\","a\\u0022":2}', '/a"'],
    ['{"":1,"":2}', '/'],
    ['{"a":{"b":1,"b":2},"a":1}', '/a/b'],
  ])('refuses %j', (text, pointer) => {
    expect(problemOf(text)).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ pointer }] });
  });

  it('keeps every whole number or refuses it, however it is written', () => {
    const number = fc.tuple(fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }), fc.nat({ max: 25 }));
    fc.assert(
      fc.property(number, ([value, zeros]) => {
        const forms = [`${value}`, `${value}e${zeros}`, `${value}.${'0'.repeat(zeros + 1)}`];
        const values = [value, value * 10n ** BigInt(zeros), value];
        for (const [i, form] of forms.entries()) {
          if (isKept(form, values[i]!)) continue;
          expect(Number.isSafeInteger(Number(form))).toBe(false);
          expect(problemOf(`{"n":${form}}`).errors).toMatchObject([{ pointer: '/n' }]);
        }
      }),
      fuzzBudget(1_000),
    );
  });

  it.each(['1e300', '0.1000000000000000055511151231257827', '1152921504606847000', '-0', '1e-400'])(
    'may have the number %s',
    (number) => {
      expect(parseBody(Buffer.from(number))).toBe(Number(number));
    },
  );

  it('has each member once, whatever the texts in it look like', () => {
    const name = fc.constantFrom('a', 'b', '"', '\\', ':{}[],"');
    const { object } = fc.letrec<{ object: Written; value: Written }>((tie) => ({
      object: fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(writeObject),
      value: fc.oneof({ depthSize: 'small' }, name.map(writeText), tie('object')),
    }));
    fc.assert(
      fc.property(object, ({ text, repeats }) => {
        if (repeats) expect(problemOf(text).errors?.[0]?.message).toContain('is there twice');
        else expect(parseBody(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
      fuzzBudget(1_000),
    );
  });

  it('may have any digits in a text', () => {
    const text = '{"a\\"12345678901234567890":"\\\\12345678901234567890"}';
    expect(parseBody(Buffer.from(text))).toEqual(JSON.parse(text));
  });

  it('may be 64 levels deep', () => {
    expect(() => parseBody(Buffer.from(`${'['.repeat(64)}${']'.repeat(64)}`))).not.toThrow();
  });

  it('cannot exhaust the stack', () => {
    const dropped = `{"a":${'['.repeat(7_999)}${']'.repeat(7_999)},"a":1}`;
    expect(problemOf(dropped)).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: '/a' }],
    });
    expect(problemOf('['.repeat(16_000)).code).toBe('MALFORMED_JSON');
    expect(problemOf('['.repeat(200_000)).code).toBe('INVALID_REQUEST');
    expect(problemOf(`${'['.repeat(200_000)}${']'.repeat(200_000)}`).code).toBe('INVALID_REQUEST');
  });
});

/** Whether the number is taken, and written again it is the same. */
function isKept(form: string, value: bigint): boolean {
  let taken: unknown;
  try {
    taken = parseBody(Buffer.from(form));
  } catch {
    return false;
  }
  const [mantissa = '', power = '0'] = String(taken).split('e+');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const again = BigInt(`${whole}${fraction}`) * 10n ** (BigInt(power) - BigInt(fraction.length));
  expect(again).toBe(value);
  return true;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    return true;
  } catch {
    return false;
  }
}

/** A JSON text, and whether some object in it has a member twice. */
interface Written {
  readonly text: string;
  readonly repeats: boolean;
}

function writeText(value: string): Written {
  return { text: JSON.stringify(value), repeats: false };
}

function writeObject(members: readonly (readonly [name: string, value: Written])[]): Written {
  const names = new Set(members.map(([name]) => name));
  return {
    text: `{${members.map(([name, { text }]) => `${JSON.stringify(name)}: ${text}`).join(', ')}}`,
    repeats: names.size < members.length || members.some(([, { repeats }]) => repeats),
  };
}
