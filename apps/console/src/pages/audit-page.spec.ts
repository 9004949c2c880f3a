import { expect, it } from '@jest/globals';
import type { AuditEntry } from '../api/shapes.js';
import { operationWords, withMore, withTop } from './audit-page.js';

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

it.each([
  ['POST /v1/tasks/{taskId}:skip', 'Skip a step of task'],
  ['POST /v1/tasks/{taskId}/steps/{run}:complete', 'Complete a step of task'],
  ['POST /v1/tasks', 'Create task'],
  ['POST /v1/tasks:batch', 'Start task'],
  ['PUT /v1/flows/{name}', 'Store flow'],
  ['DELETE /v1/keys/{id}', 'Remove API key'],
  ['POST /v1/operations/{operationId}:approve', 'Approve operation'],
  ['END /v1/operations/{operationId}', 'End of operation'],
])('the audit log says %s in words', (operation, words) => {
  expect(operationWords(operation)).toBe(words);
});

it('the audit log shows an operation that it has no words for as it is', () => {
  expect(operationWords('POST /modules/lab/odd')).toBeNull();
});
