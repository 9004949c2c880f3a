import { describe, expect, it } from '@jest/globals';
import { type Column, tableLines } from './table.js';

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
