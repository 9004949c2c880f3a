import { DocumentFault } from '#core';

/**
 * The record, if the column that it is found by when it is due holds its own time. Another would
 * let nobody find it, or everybody for ever. Throws `DocumentFault`.
 */
export function dueAsBeside<T extends { readonly dueAt: number | null }>(
  record: T,
  column: unknown,
): T {
  if (record.dueAt === column) return record;
  throw new DocumentFault('due_at is not that of the record');
}
