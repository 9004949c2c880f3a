import { ORIGIN_NAMES, type TaskOrigin, type TaskPlan } from '#core';
import { fromColumn, toColumn } from './column-text.js';
import type { InsertRequest, OriginColumns } from './protocol.js';

/** The columns of the members of an origin, in the order in which a new row has them. */
const ORIGIN_COLUMNS = { requestId: 'request_id', client: 'client', operator: 'operator' } as const;

interface Sought {
  readonly labels?: TaskPlan['labels'] | undefined;
  readonly origin?: TaskPlan['origin'] | undefined;
}

/** The rows of a task in the table of labels, which is an index. Null: none. */
export function labelColumns({ labels }: Sought): InsertRequest[9] {
  if (labels === undefined) return null;
  const columns: [string, string][] = [];
  for (const key in labels) columns.push([toColumn(key), toColumn(labels[key]!)]);
  return columns.length === 0 ? null : columns;
}

/** The members of a task's origin, in the order of their columns. */
export function originColumns({ origin: { requestId, client, operator } = {} }: Sought) {
  return [orNull(requestId), orNull(client), orNull(operator)] as const;
}

/** The columns that are looked at for an origin; what finds the fewest tasks is the first. */
export function originSought({ origin }: Sought): readonly (readonly [string, string])[] {
  return ORIGIN_NAMES.flatMap((name) => {
    const value = origin?.[name];
    return value === undefined ? [] : [[ORIGIN_COLUMNS[name], toColumn(value)] as const];
  });
}

/** The origin that these columns stand for; null: none. */
export function originOf(columns: OriginColumns): TaskOrigin | null {
  const known = ORIGIN_NAMES.flatMap((name, n) => {
    const column = columns[n] ?? null;
    return column === null ? [] : [[name, fromColumn(column)] as const];
  });
  return known.length === 0 ? null : Object.fromEntries(known);
}

function orNull(text: string | undefined): string | null {
  return text === undefined ? null : toColumn(text);
}
