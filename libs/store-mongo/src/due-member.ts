import { DocumentFault } from '#core';
import { toDate } from './bson-values.js';

/**
 * The record, if the member that it is found by when it is due holds its own time. Another would
 * let nobody find it, or everybody for ever. Throws `DocumentFault`.
 */
export function dueAsBeside<T extends { readonly dueAt: number | null }>(
  record: T,
  { dueAt }: { readonly dueAt?: unknown },
): T {
  const own = record.dueAt === null ? undefined : toDate(record.dueAt).getTime();
  if (own === (dueAt instanceof Date ? dueAt.getTime() : dueAt)) return record;
  throw new DocumentFault('dueAt is not that of the record');
}
