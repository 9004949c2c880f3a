import { expect, it } from '@jest/globals';
import { LineMark, MARK_FORM } from './line-mark.js';

it('names the last line of each part, and the last write that was seen', () => {
  const mark = new LineMark();
  expect([mark.at, mark.lineOf('a')]).toEqual([0, 0]);
  mark.take('a', 3, 1_000);
  mark.take('b', 7, 900);
  const again = new LineMark(mark.id);
  expect([again.at, again.lineOf('a'), again.lineOf('b')]).toEqual([1_000, 3, 7]);
  expect(again.id).toBe(mark.id);
});

it('stays short: it names the parts that were written last', () => {
  const mark = new LineMark();
  for (let n = 1; n <= 100; n += 1) mark.take(`part ${n}`, 999_999_999, 999_999_999_999_999);
  mark.take('part 90', 1, 1);
  expect(mark.id).toMatch(new RegExp(MARK_FORM));
  expect(mark.id.length).toBeLessThan(400);
  const again = new LineMark(mark.id);
  expect([again.lineOf('part 100'), again.lineOf('part 90')]).toEqual([999_999_999, 1]);
  expect(again.lineOf('part 1')).toBe(0);
});
