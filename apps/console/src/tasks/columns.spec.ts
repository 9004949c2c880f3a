import { expect, it } from '@jest/globals';
import { readColumns, USUAL } from './columns.js';

it('keeps the columns that somebody chose, in the order of the list', () => {
  expect(readColumns('message,ended,status')).toEqual(['status', 'ended', 'message']);
  expect(readColumns('')).toEqual([]);
});

it('shows the usual columns to others, and leaves out what is no column', () => {
  expect(readColumns(null)).toEqual(USUAL);
  expect(readColumns('status,constructor,<b>')).toEqual(['status']);
});
