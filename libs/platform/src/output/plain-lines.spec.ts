import { expect, it } from '@jest/globals';
import { plainLines } from './plain-lines.js';

it.each([
  ['as it is', ['as it is']],
  ['a\r\nb\rc\n\nd\n', ['a', 'b', 'c', '', 'd']],
  ['\tindented  twice ', ['\tindented  twice ']],
  ['\u001b[31mred\u001b[0m and \u0007bell', ['red and \ufffdbell']],
  ['turned \u202eround, half \ud800 letter', ['turned \ufffdround, half \ufffd letter']],
  ['größe 数据 🙂', ['größe 数据 🙂']],
  ['', ['']],
])('a text of anybody has lines that control nothing: %j', (text, lines) => {
  expect(plainLines(text)).toEqual(lines);
});

it.each(['x', '数', '🙂'])('says how much of a very long line of %s is cut', (letter) => {
  const [line = '', ...rest] = plainLines(letter.repeat(9_000));
  expect(rest).toEqual([]);
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(8_192);
  const [, kept = '', cut = ''] = /^(.*)… \[(\d+) more bytes\]$/u.exec(line) ?? [];
  expect(new Set(kept)).toEqual(new Set([letter]));
  expect(Buffer.byteLength(kept) + Number(cut)).toBe(9_000 * Buffer.byteLength(letter));
});
