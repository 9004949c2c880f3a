import { expect, it } from '@jest/globals';
import { matchesJson, matchesText } from './compare-output.js';

it.each([
  ['took 3 ms', 'took   1.2 s\n', true],
  ['at 2026-11-21T09:46:34.766Z', 'at 2027-01-01T00:00:00.000Z', true],
  ['...\nb\n...', 'a\nb\nc\nd', true],
  ['a ... d', 'a b c d', true],
  ['a', 'a\nb', false],
  ['3 tasks', '4 tasks', false],
  ['a.c', 'abc', false],
])('the text %j against %j: %s', (shown, actual, expected) => {
  expect(matchesText(shown, actual)).toBe(expected);
});

it.each([
  [{ a: 1 }, { a: 1, b: 2 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ at: 1_795_254_391 }, { at: 1_795_254_999 }, true],
  [[{ a: null }], [{ a: null }, 2], true],
  [{ a: '...' }, { a: [] }, true],
  [{ a: {} }, { a: [] }, false],
  [{ a: {} }, {}, false],
])('the answer %j against %j: %s', (shown, actual, expected) => {
  expect(matchesJson(shown, actual)).toBe(expected);
});
