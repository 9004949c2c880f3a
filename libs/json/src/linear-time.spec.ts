import { describe, expect, it } from '@jest/globals';
import { expectLinear } from '../../../test/linear/linear-time.js';
import { findFault } from './find-fault.js';
import { endOfText, hasOddNumbers, isDeeper, isFuller, placeOf } from './json-text.js';
import { mayRepeatMember } from './plain-value.js';
import { readJson } from './read-json.js';

/** Texts that repeat one part, which a parser could read again and again. */
const TEXTS: readonly (readonly [what: string, before: string, part: string, after: string])[] = [
  ['zeros inside a number', '{"a":1', '0', '1}'],
  ['zeros after a point', '{"a":0.', '0', '1}'],
  ['digits of a number', '[', '1', ']'],
  ['digits of an exponent', '[1e', '9', ']'],
  ['numbers that are not kept', '[', '12345678901234567891,', '1]'],
  ['numbers as long as may be', '[', `${'1'.repeat(309)},`, '1]'],
  ['points and signs', '["a",1234567890123456', '.-', ']'],
  ['digits in a text', '["', '1234567890', '"]'],
  ['escapes in a text', '["1234567890123456', '\\n', '"]'],
  ['escaped quotes', '["1234567890123456', '\\"', '"]'],
  ['backslashes', '["1234567890123456', '\\\\', '"]'],
  ['escaped quotes without an end', '["1234567890123456', '\\"', ''],
  ['texts', '[', '":",', '""]'],
  ['a member that was dropped, with escapes', '{"a":"', '\\"', '","a":1}'],
  ['a member that was dropped, with nesting', '{"a":', '[', ',"a":1}'],
  ['a member that was dropped, with colons', '{"a":"', ':', '","a":1}'],
  ['members', '{"x":{}', ',"a~":1', '}'],
  ['surrogates', '["\\u0041', '\ud83d\ude00', '"]'],
  ['spaces', '[', ' ', ']'],
  ['lines', '[', '\n', ']'],
  ['lines before a mistake', '[', '\n', 'x]'],
  ['spaces before a mistake', '[', ' ', 'x]'],
  ['mistakes', '[', 'x ', ']'],
  ['comments', '[', '/*', ']'],
  ['nesting', '', '[', ''],
  ['members without an end', '', '{"a":', ''],
];

function read(bytes: Buffer): unknown {
  return readJson(bytes, { bytes: bytes.length });
}

describe('a JSON text is read in proportion to it', () => {
  it.each(TEXTS)('of %s', (_what, ...[before, part, after]) => {
    const make = (size: number): Buffer => {
      return Buffer.from(`${before}${part.repeat(Math.ceil(size / part.length))}${after}`);
    };
    expectLinear({ make, read, size: 120_000 });
    const count = (bytes: Buffer): boolean => isFuller(bytes.toString(), bytes.length / 3);
    expectLinear({ make, read: count, size: 240_000 });
  });

  it.each(TEXTS)('letter by letter, of %s', (_what, ...[before, part, after]) => {
    const make = (size: number): string =>
      `${before}${part.repeat(Math.ceil(size / part.length))}${after}`;
    const rules = { depth: 64, isOwn: false, stopsAtDepth: false };
    expectLinear({ make, read: (text) => findFault(text, rules), size: 60_000 });
  });

  it('its numbers, texts, nesting and repetitions, each by itself', () => {
    const zeros = (size: number): string => `[1${'0'.repeat(size)}1]`;
    const quotes = (size: number): string => `"${'\\"'.repeat(size)}`;
    const lines = (size: number): string => '\n'.repeat(size);
    const twice = (size: number): string => `{"a":"${'\\"'.repeat(size)}:","a":1}`;
    expectLinear({ make: zeros, read: hasOddNumbers, size: 120_000 });
    expectLinear({ make: quotes, read: (text) => endOfText(text, 0), size: 120_000 });
    expectLinear({ make: quotes, read: (text) => isDeeper(text, 64), size: 120_000 });
    expectLinear({ make: lines, read: (text) => placeOf(text, text.length), size: 120_000 });
    expectLinear({ make: twice, read: (text) => mayRepeatMember(text, { a: 1 }), size: 120_000 });
  });
});

describe('a number of a JSON text', () => {
  it('has at most 400 characters, and is refused at its place before it is read', () => {
    const taken = `{"a":\n ["1", 0.${'1'.repeat(398)}]}`;
    expect(read(Buffer.from(taken))).toEqual(JSON.parse(taken));
    const refused = Buffer.from(`{"a":\n ["1", 0.${'1'.repeat(399)}]}`);
    expect(() => read(refused)).toThrow(
      'Line 2, column 8: a number has more than 400 characters; write it as text.',
    );
  });

  it('may be as long as it likes within a text', () => {
    const text = JSON.stringify({ a: '1'.repeat(5_000), ['2'.repeat(5_000)]: 1 });
    expect(read(Buffer.from(text))).toEqual(JSON.parse(text));
  });
});
