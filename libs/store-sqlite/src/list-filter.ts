import type { Draft } from '#core/task';
import type { TaskQuery } from '#ports';
import { toColumn } from './column-text.js';
import { labelColumns } from './label-columns.js';
import { decodeCursor } from './page-cursor.js';
import type { ListFilter } from './protocol.js';
import { partsOf } from './term-lines.js';

/**
 * A query as the worker understands it. Throws `InvalidCursor` for a cursor that no page gave. Each
 * member costs as much as a look at a row on its way to the worker: most queries have few.
 */
export function toListFilter(query: TaskQuery): ListFilter {
  const { createdAfter, createdBefore, cursor, idPrefix, limit, parent, statuses } = query;
  const filter: Draft<ListFilter> = { limit };
  const flows = flowsOf(query);
  const labels = labelColumns(query);
  const terms = partsOf(query);
  if (flows !== undefined) filter.flows = [...new Set(flows)].map(toColumn);
  if (statuses !== undefined) filter.statuses = statuses;
  if (labels !== null) filter.labels = labels;
  if (query.waitsForPerson === true) filter.waits = true;
  if (parent !== undefined) filter.parent = toColumn(parent);
  if (query.isTopLevel === true) filter.isTopLevel = true;
  if (query.withoutAlerts === true) filter.withoutAlerts = true;
  if (idPrefix !== undefined) filter.idPrefix = toColumn(idPrefix);
  if (terms.length > 0) filter.terms = terms;
  if (createdAfter !== undefined) filter.createdAfter = createdAfter;
  if (createdBefore !== undefined) filter.createdBefore = createdBefore;
  if (cursor !== undefined) filter.beyond = decodeCursor(cursor);
  if (query.isOldestFirst === true) filter.isOldestFirst = true;
  return filter;
}

function flowsOf({ flow, flows }: TaskQuery): readonly string[] | undefined {
  if (flow === undefined) return flows;
  return flows === undefined || flows.includes(flow) ? [flow] : [];
}
