import { describe, expect, it } from '@jest/globals';
import { plainJson, plainLine, plainSpaced, unturned } from './plain-line.js';

describe('a plain line', () => {
  it.each([
    ['a\r\n\tb\u001b[31mc\u0007 \u202ed', 'a b?[31mc? ?d'],
    ['\u009b2J\u0085x\u007f', '?2J?x?'],
    [' a \u2028 b ', 'a b'],
    ['ü 数据 🙂', 'ü 数据 🙂'],
  ])(
    'has nothing that moves the cursor, colours the screen or turns the text round: %j',
    (text, plain) => {
      expect(plainLine(text)).toBe(plain);
    },
  );
});

it.each(['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'])(
  'no text is turned round by %j',
  (letter) => {
    expect(plainLine(`a${letter}b`)).toBe('a?b');
    expect(unturned(`a${letter}\nb`)).toBe('a?\nb');
    const json = plainJson(JSON.stringify({ [letter]: `\u009b${letter}` }));
    expect(json).toMatch(/^[ -~]*$/);
    expect(JSON.parse(json)).toEqual({ [letter]: `\u009b${letter}` });
  },
);

it('a line of output keeps its blanks, and nothing that controls a terminal', () => {
  expect(plainSpaced('\t  a  b\u001b[2J\u202e\u2028c\r')).toBe('\t  a  b?[2J??c?');
});
