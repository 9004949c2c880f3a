import { describe, expect, it } from '@jest/globals';
import { plainLine } from './plain-line.js';

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
