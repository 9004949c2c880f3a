import { describe, expect, it } from '@jest/globals';
import { clipText, padText, textWidth } from './text-width.js';

describe('text in columns', () => {
  it.each([
    ['abc', 3],
    ['数据库', 6],
    ['e\u0301', 1],
    ['🙂', 2],
    ['', 0],
  ])('%j is %d wide', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['数据库', 4, '数…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('%j clipped to %d is %j', (text, width, clipped) => {
    expect(clipText(text, width)).toBe(clipped);
    expect(textWidth(clipped)).toBeLessThanOrEqual(Math.max(width, 0));
  });

  it('pads by columns, not by letters', () => {
    expect(padText('数', 4)).toBe('数  ');
    expect(padText('7', 3, 'right')).toBe('  7');
  });
});
