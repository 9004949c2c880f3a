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
    text([1, [2]]),
    encoded('[1,2]'.padEnd(2_000)),
    encoded(`[${'1'.repeat(500)},2]`),
  ])('are refused when they are %j', (cursor) => {
    expect(() => decodeCursor(cursor)).toThrow(InvalidCursor);
  });

  function text(value: unknown): string {
    return encoded(JSON.stringify(value));
  }

  function encoded(written: string): string {
    return Buffer.from(written).toString('base64url');
  }
});
