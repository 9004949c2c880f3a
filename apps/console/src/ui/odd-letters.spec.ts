import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { withoutOddLetters } from './odd-letters.js';

const TURNS = ['\u202e', '\u202d', '\u2066', '\u2067', '\u200f', '\u061c'];
const UNSEEN = ['\u200b', '\u2060', '\ufeff', '\u00ad', '\u0000', '\u001b', '\u{e0041}', '\u2028'];

it('shows each letter that cannot be seen by its number', () => {
  expect(withoutOddLetters('pay \u202e0001\u202c EUR')).toBe('pay ⟨U+202E⟩0001⟨U+202C⟩ EUR');
  expect(withoutOddLetters('ad\u200bmin')).toBe('ad⟨U+200B⟩min');
  expect(withoutOddLetters('ad\u200dmin')).toBe('ad⟨U+200D⟩min');
});

it('leaves writing as it is', () => {
  const texts = [
    'May this go out? Zażółć, 承認しますか',
    'האם לאשר את זה?',
    'می\u200cخواهم',
    '👩\u200d👩\u200d👧 ❤\ufe0f',
    'ที่นี่ กำ',
    'e\u0301 and a\ttab\nand a line',
  ];
  expect(texts.map(withoutOddLetters)).toEqual(texts);
});

it('shows a heap of marks as one', () => {
  expect(withoutOddLetters(`z${'\u0301'.repeat(200)}!`)).toBe(
    `z${'\u0301'.repeat(4)}⟨U+0301+195⟩!`,
  );
});

it('leaves no letter that turns or hides others, in any text', () => {
  const odd = [...TURNS, ...UNSEEN];
  const text = fc.array(fc.oneof(fc.constantFrom(...odd), fc.string({ unit: 'grapheme' })));
  fc.assert(
    fc.property(text, (parts) => {
      const found = withoutOddLetters(parts.join(''));
      expect(odd.filter((letter) => found.includes(letter))).toEqual([]);
      // Nothing is left to do.
      expect(withoutOddLetters(found)).toBe(found);
    }),
    { numRuns: 200 },
  );
});
