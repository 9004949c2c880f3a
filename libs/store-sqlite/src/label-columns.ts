import type { TaskPlan } from '#core';
import { toColumn } from './column-text.js';
import type { InsertRequest } from './protocol.js';

/** No label is written so: after this character a column has JSON of a text. */
const ORIGIN = '\u0001';

interface Sought {
  readonly labels?: TaskPlan['labels'] | undefined;
  readonly origin?: TaskPlan['origin'] | undefined;
}

/**
 * The rows of a task in the table of labels, which is an index: its labels, and the members of its
 * origin under names that no label has. Null: none.
 */
export function labelColumns({ labels, origin }: Sought): InsertRequest[9] {
  if (labels === undefined && origin === undefined) return null;
  const columns: [string, string][] = [];
  for (const [name, value] of Object.entries(origin ?? {})) {
    columns.push([ORIGIN + name, toColumn(value)]);
  }
  for (const [key, value] of Object.entries(labels ?? {})) {
    columns.push([toColumn(key), toColumn(value)]);
  }
  return columns.length === 0 ? null : columns;
}
