import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { parse as parseByOthers } from 'jsonc-parser';
import { fuzzBudget } from '../../../test/fuzz/budget.js';
import { WRONG_FROM_OTHERS, WRONG_JSON } from '../../../test/fixtures/wrong-json.js';
import { findFault } from './find-fault.js';
import { type JsonLimits, readJson, readJsonInTurns } from './read-json.js';
import { WrongJson } from './wrong-json.js';
import { anyCharacter } from '../../../test/fuzz/hostile-values.js';

const LIMITS: JsonLimits = { bytes: 1_048_576 };

/** Names and values that texts are made of, right and wrong ones. */
const NAMES = ['"a"', '"\\u0061"', '"b"', '"__proto__"', '"\\udc00"', '":\\""'];
const PARTS = [
  ...NAMES,
  ...['[1]', '[[],{}]', '{"a":{"a":":"}}', '{}', 'null', 'true', '-0.5e1', ' ', ',', ':'],
  ...['12345678901234567890', '1152921504606847000', '1e999', '0.10000000000000000555', '01', '1.'],
  ...['[', ']', '{', '}', '"', '"\\x"', 'nul', '/*'],
];

function read(text: string): unknown {
  return readJson(Buffer.from(text), LIMITS);
}

function faultOf(source: string | Buffer, limits: Partial<JsonLimits> = {}): WrongJson {
  try {
    readJson(typeof source === 'string' ? Buffer.from(source) : source, { ...LIMITS, ...limits });
  } catch (error) {
    if (error instanceof WrongJson) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('a JSON text', () => {
  it('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = parseByOthers(text);
        fc.pre(!text.includes('__proto__'));
        expect(read(text)).toEqual(value);
      }),
    );
  });

  it.each([
    ['[1,2,3]', 4],
    ['{"a":1,"b":[[],{}]}', 5],
    ['{"a,[":"{,\\",["}', 2],
    ['7', 1],
    [`["${','.repeat(100)}"]`, 2],
  ])('has as many values as may be: %s', (text, values) => {
    expect(readJson(text, { ...LIMITS, values })).toEqual(JSON.parse(text));
    // One that is so short cannot have more.
    const longer = `${text}${' '.repeat(2 * values)}`;
    expect(readJson(longer, { ...LIMITS, values })).toEqual(JSON.parse(text));
    if (values === 1) return;
    const refusal = faultOf(longer, { values: values - 1 });
    expect(refusal).toMatchObject({ code: 'TOO_MANY_VALUES', pointer: '', isNotJson: false });
    expect(refusal.message).toBe(`The text has more than ${values - 1} values.`);
  });

  it('may begin with a byte order mark and have any keys but one', () => {
    const value = { $where: 1, 'a.b': 2, constructor: 3, prototype: 4, '': { hasOwnProperty: 5 } };
    expect(read(`\uFEFF${JSON.stringify(value)}`)).toEqual(value);
  });

  it.each([...WRONG_JSON, ...WRONG_FROM_OTHERS])(
    'tells what is wrong with $text, and where',
    (wrong) => {
      const { code, message, pointer } = faultOf(wrong.text);
      expect({ code, message, pointer }).toEqual({
        code: wrong.code,
        message: wrong.placed,
        pointer: wrong.pointer ?? '',
      });
    },
  );

  it.each([
    ['{"a" 1}', 'Line 1, column 6: a colon should stand here.'],
    ['[1 2]', 'Line 1, column 4: a comma should stand here.'],
    ['[1}', 'Line 1, column 3: a closing ] should stand here.'],
    ['[1', 'Line 1, column 3: a closing ] should stand here.'],
    ['{', 'Line 1, column 2: a closing } should stand here.'],
    ['[', 'Line 1, column 2: a closing ] should stand here.'],
    ['[,1]', 'Line 1, column 2: a value should stand here.'],
    ['{"a":}', 'Line 1, column 6: a value should stand here.'],
    ["{'a':1}", 'Line 1, column 2: a member in double quotes should stand here.'],
    ['{"a":1 /* c */}', 'Line 1, column 8: JSON has no comments.'],
    ['[1.]', 'Line 1, column 2: this number is unfinished.'],
    ['[-]', 'Line 1, column 2: this number is unfinished.'],
    ['[1e+]', 'Line 1, column 2: this number is unfinished.'],
    ['[01]', 'Line 1, column 2: this is not a number as JSON writes them.'],
    ['[nullx]', 'Line 1, column 2: this is no JSON value; put text in double quotes.'],
    ['["\\x"]', 'Line 1, column 3: an unknown character stands after a backslash.'],
    ['["\\u12g4"]', 'Line 1, column 3: a \\u without four hex digits stands here.'],
    ['["a\tb"]', 'Line 1, column 4: this character must be written as an escape, for example \\n.'],
    ['["a\n"]', 'Line 1, column 2: a text begins here that has no closing double quote.'],
    ['["a\\', 'Line 1, column 2: a text begins here that has no closing double quote.'],
  ])('tells where %j is wrong', (text, placed) => {
    expect(faultOf(text)).toMatchObject({ code: 'SYNTAX', message: placed });
  });

  it('has some sentence for every text that is not JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 40 }), (text) => {
        fc.pre(!isJson(text));
        const { isNotJson, place, sentence } = faultOf(text);
        expect(isNotJson).toBe(true);
        expect(sentence).toMatch(/^[A-Z].*[.]$/);
        // Of the quick looks and of the reading letter by letter one alone must not be sure.
        expect(place !== null || text.trim() === '').toBe(true);
      }),
    );
  });
});

describe('a value of a JSON text', () => {
  it('is refused where a reading letter by letter finds a fault, and nowhere else', () => {
    const part = fc.constantFrom(...PARTS);
    const members = fc.array(fc.tuple(fc.constantFrom(...NAMES), part), { maxLength: 3 });
    const object = members.map((all) => `{${all.map((pair) => pair.join(':')).join(',')}}`);
    const text = fc.array(fc.oneof(part, object), { maxLength: 6 }).map((all) => all.join(''));
    fc.assert(
      fc.property(fc.oneof(text, object), (written) => {
        const fault = findFault(written, { depth: 64, isOwn: false, stopsAtDepth: false });
        if (fault === null) expect(read(written)).toEqual(JSON.parse(written));
        else expect(faultOf(written)).toEqual(fault);
      }),
      fuzzBudget(2_000),
    );
  });

  it('must be UTF-8', () => {
    expect(faultOf(Buffer.from([0x22, 0xc3, 0x22])).code).toBe('NOT_UTF8');
    expect(faultOf(Buffer.from('"\u0001"', 'utf16le')).isNotJson).toBe(true);
  });

  it('has at most the bytes of its limit, however many characters these are', () => {
    expect(readJson('"é"', { bytes: 4 })).toBe('é');
    for (const source of ['"é"', Buffer.from('"é"')]) {
      expect(() => readJson(source, { bytes: 3 })).toThrow('The text is larger than 3 bytes.');
    }
  });

  it.each([
    ['{"a":{"__proto__":{}}}', '/a/__proto__'],
    ['[{"\\u005f_proto__":1}]', '/0/__proto__'],
    ['{"a~/b":[1,1e999]}', '/a~0~1b/1'],
    ['{"a":{"id":12345678901234567890}}', '/a/id'],
    ['[9007199254740992,9007199254740993]', '/1'],
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
    const { isNotJson, place, ...fault } = faultOf(text);
    expect(fault.pointer).toBe(pointer);
    expect(isNotJson).toBe(false);
    expect(place).not.toBeNull();
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
          expect(faultOf(`{"n":${form}}`)).toMatchObject({ pointer: '/n' });
        }
      }),
      fuzzBudget(1_000),
    );
  });

  it.each([
    '1e300',
    '0.1000000000000000055511151231257827',
    '1152921504606847000',
    '-0',
    '1e-400',
    '1000000000000000055511151231257827e-34',
  ])('may have the number %s', (number) => {
    expect(read(number)).toBe(Number(number));
  });

  it('has each member once, whatever the texts in it look like', () => {
    const name = fc.constantFrom('a', 'b', '"', '\\', ':{}[],"');
    const { object } = fc.letrec<{ object: Written; value: Written }>((tie) => ({
      object: fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(writeObject),
      value: fc.oneof({ depthSize: 'small' }, name.map(writeText), tie('object')),
    }));
    fc.assert(
      fc.property(object, ({ text, repeats }) => {
        if (repeats) expect(faultOf(text).message).toContain('is there twice');
        else expect(read(text)).toEqual(parseByOthers(text));
      }),
      fuzzBudget(1_000),
    );
  });

  it('may have any digits in a text', () => {
    const text = '{"a\\"12345678901234567890":"\\\\12345678901234567890"}';
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it('may be 64 levels deep', () => {
    expect(() => read(`${'['.repeat(64)}${']'.repeat(64)}`)).not.toThrow();
  });

  it('cannot exhaust the stack', () => {
    const deep = `${'['.repeat(7_999)}${']'.repeat(7_999)}`;
    expect(faultOf(`{"a":${deep},"a":1}`)).toMatchObject({
      code: 'TOO_DEEP',
      pointer: `/a${'/0'.repeat(63)}`,
    });
    expect(faultOf('['.repeat(16_000)).code).toBe('SYNTAX');
    expect(faultOf('['.repeat(200_000)).code).toBe('TOO_DEEP');
    expect(faultOf(`${'['.repeat(200_000)}${']'.repeat(200_000)}`).code).toBe('TOO_DEEP');
  });

  it('that Backstep stored has the members and texts that outputs may have', () => {
    const text = '{"__proto__":{"a":1},"b":"\\ud800"}';
    const value = readJson(text, { ...LIMITS, isOwn: true }) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe(text);
    expect(faultOf('{"a":1,"a":2}', { isOwn: true }).code).toBe('REPEATED_MEMBER');
  });

  it('may be nested as its reader says', () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(() => readJson(nested(2), { ...LIMITS, depth: 2 })).not.toThrow();
    expect(faultOf(nested(3), { depth: 2 })).toMatchObject({
      code: 'TOO_DEEP',
      sentence: 'Lists and objects are nested deeper than 2 levels.',
    });
  });

  it('that is a text of this process has no half of a surrogate pair either', () => {
    expect(() => readJson('["\ud800"]', LIMITS)).toThrow('a text has half of a surrogate pair');
  });

  it('is read in turns as it is at once', async () => {
    let turns = 0;
    const nextTurn = async (): Promise<void> => void (turns += 1);
    expect(await readJsonInTurns('{"a":[1]}', LIMITS, nextTurn)).toEqual({ a: [1] });
    expect(turns).toBe(4);
    await expect(readJsonInTurns('{"a":1,"a":1}', LIMITS, nextTurn)).rejects.toThrow(WrongJson);
  });
});

/** Whether the number is taken, and written again it is the same. */
function isKept(form: string, value: bigint): boolean {
  let taken: unknown;
  try {
    taken = read(form);
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
