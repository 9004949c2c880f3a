import { describe, expect, it } from '@jest/globals';
import { InvalidCursor } from '#ports';
import { decodeCursor, encodeCursor } from './page-cursor.js';

describe('page cursors', () => {
  it('lead back to the place they were made from', () => {
    expect(decodeCursor(encodeCursor([1_763_700_000_000, 42]))).toEqual([1_763_700_000_000, 42]);
    expect(encodeCursor([1, 2])).toMatch(/^[\w-]+$/);
  });

  it.each([
    '',
    '!',
    'WzEsMl0=',
    text([1]),
    text([1, 2, 3]),
    text([1.5, 2]),
    text(['1', 2]),
    text({}),
  ])('are refused when they are %j', (cursor) => {
    expect(() => decodeCursor(cursor)).toThrow(InvalidCursor);
  });

  function text(value: unknown): string {
    return Buffer.from(JSON.stringify(value)).toString('base64url');
  }
});
