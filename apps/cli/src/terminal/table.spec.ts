import { describe, expect, it } from '@jest/globals';
import { clipText, type Column, padText, tableLines, textWidth } from './table.js';

interface Row {
  readonly id: string;
  readonly message: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'TASK', value: ({ id }) => id, short: ({ id }) => `…${id.slice(-3)}` },
  { title: 'MESSAGE', value: ({ message }) => message },
];

const ROWS = [{ id: '0123456789', message: 'a message of thirty characters' }];

describe('a table', () => {
  it('is as wide as its values where there is room for the last column', () => {
    expect(tableLines(ROWS, COLUMNS, 30)).toEqual([
      'TASK        MESSAGE',
      '0123456789  a message of thir…',
    ]);
  });

  it('has short values in a narrow terminal', () => {
    expect(tableLines(ROWS, COLUMNS, 24)).toEqual(['TASK  MESSAGE', '…789  a message of thir…']);
  });
});

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
