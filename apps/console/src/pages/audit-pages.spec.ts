import { expect, it } from '@jest/globals';
import type { AuditEntry } from '../api/shapes.js';
import { withMore, withTop } from './audit-pages.js';

function page(seqs: readonly number[], nextCursor: string | null) {
  return { items: seqs.map((seq) => ({ seq }) as AuditEntry), page: { nextCursor } };
}

it('keeps older pages below what is new', () => {
  const first = withTop(null, page([9, 8], '8'));
  const both = withMore(first, page([7, 6], '6'));
  const later = withTop(both, page([10, 9], '9'));
  expect(later.items.map(({ seq }) => seq)).toEqual([10, 9, 8, 7, 6]);
  expect(later.cursor).toBe('6');
});

it('begins anew where entries may be missing between', () => {
  const first = withTop(null, page([9, 8], '8'));
  const later = withTop(first, page([20, 19], '19'));
  expect([later.items.map(({ seq }) => seq), later.cursor]).toEqual([[20, 19], '19']);
});

it('misses nothing where all that fits is on the page', () => {
  const first = withTop(null, page([9, 8], null));
  const later = withTop(first, page([12, 11, 9, 8], null));
  expect(later.items.map(({ seq }) => seq)).toEqual([12, 11, 9, 8]);
});

it('goes on from an empty page of a search', () => {
  const nothing = withTop(null, page([], '500'));
  expect(withMore(nothing, page([3], null))).toEqual({ items: [{ seq: 3 }], cursor: null });
  expect(withTop(nothing, page([600], '600')).items).toEqual([{ seq: 600 }]);
});
