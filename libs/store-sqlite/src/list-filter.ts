import type { TaskQuery } from '#ports';
import { toColumn } from './column-text.js';
import { labelColumns } from './label-columns.js';
import { decodeCursor } from './page-cursor.js';
import type { ListFilter } from './protocol.js';
import { partsOf } from './term-lines.js';

/** A query as the worker understands it. Throws `InvalidCursor` for a cursor that no page gave. */
export function toListFilter(query: TaskQuery): ListFilter {
  const { labels = {}, origin, createdAfter, createdBefore, limit, cursor } = query;
  const flows = flowsOf(query);
  return {
    flows: flows === undefined ? null : [...new Set(flows)].map(toColumn),
    statuses: query.statuses ?? null,
    labels: labelColumns({ labels, origin }) ?? [],
    waits: query.waitsForPerson === true,
    parent: query.parent === undefined ? null : toColumn(query.parent),
    isTopLevel: query.isTopLevel === true,
    withoutAlerts: query.withoutAlerts === true,
    idPrefix: query.idPrefix === undefined ? null : toColumn(query.idPrefix),
    terms: partsOf(query),
    createdAfter: createdAfter ?? null,
    createdBefore: createdBefore ?? null,
    beyond: cursor === undefined ? null : decodeCursor(cursor),
    isOldestFirst: query.isOldestFirst === true,
    limit,
  };
}

function flowsOf({ flow, flows }: TaskQuery): readonly string[] | undefined {
  if (flow === undefined) return flows;
  return flows === undefined || flows.includes(flow) ? [flow] : [];
}
