import type { TaskQuery } from '#ports';
import { toColumn } from './column-text.js';
import { decodeCursor } from './page-cursor.js';
import type { ListFilter } from './protocol.js';

/** A query as the worker understands it. Throws `InvalidCursor` for a cursor that no page gave. */
export function toListFilter(query: TaskQuery): ListFilter {
  const { flow, labels = {}, createdAfter, createdBefore, limit, cursor } = query;
  return {
    flow: flow === undefined ? null : toColumn(flow),
    statuses: query.statuses ?? null,
    labels: Object.entries(labels).map(([key, value]) => [toColumn(key), toColumn(value)]),
    createdAfter: createdAfter ?? null,
    createdBefore: createdBefore ?? null,
    beyond: cursor === undefined ? null : decodeCursor(cursor),
    limit,
  };
}
