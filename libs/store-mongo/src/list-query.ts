import type { Filter } from 'mongodb';
import { ALERT_RUN } from '#core';
import { readJson } from '#json';
import { InvalidCursor, type TaskFilter, type TaskPage } from '#ports';
import { toDate } from './bson-values.js';
import { labelsToTexts } from './labels.js';
import type { TaskDocument } from './task-document.js';

/** Names of the indexes of lists; all but `owner` and `parent` end in the order of lists. */
export const LIST_INDEXES = {
  time: 'by_time',
  flow: 'by_flow',
  status: 'by_status',
  flowStatus: 'by_flow_status',
  label: 'by_label',
  parent: 'by_parent',
  waits: 'by_waits',
  owner: 'by_owner',
} as const;

/** The index that every collection has. */
const ID_INDEX = '_id_';

/** A query in the server's words, with the index that gives its order without sorting. */
interface ListPlan {
  readonly filter: Filter<TaskDocument>;
  readonly order: typeof LIST_ORDER | typeof OLDEST_ORDER;
  readonly hint: string;
}

/** Newest first; the id decides between tasks of one moment. */
export const LIST_ORDER = { createdAt: -1, _id: -1 } as const;

/** The same order from its other end: an index serves both. */
const OLDEST_ORDER = { createdAt: 1, _id: 1 } as const;

/** The last task of a page. */
interface Position {
  readonly createdAt: number;
  readonly taskId: string;
}

/** Plans a list. Throws `InvalidCursor` for a cursor that no page gave. */
export function planList(query: TaskFilter): ListPlan {
  const { labels: wanted = {}, origin } = query;
  const labels = labelsToTexts({ labels: wanted, origin });
  const after = query.cursor === undefined ? undefined : positionOf(query.cursor);
  const filter: Filter<TaskDocument> = {
    ...flowFilter(query),
    ...(query.statuses === undefined ? {} : { status: { $in: [...query.statuses] } }),
    ...(labels.length === 0 ? {} : { labels: { $all: [...labels] } }),
    ...(query.waitsForPerson === true && { waits: { $exists: true } }),
    ...(query.idPrefix !== undefined && { _id: idsBeginning(query.idPrefix) }),
    ...(query.parent === undefined ? {} : { 'parent.taskId': query.parent }),
    ...(query.isTopLevel === true && { parent: { $exists: false } }),
    ...(query.withoutAlerts === true && { 'parent.run': { $ne: ALERT_RUN } }),
    ...workFilter(query),
    ...timeFilter(query, after),
    ...(after === undefined ? {} : { $or: orderedAfter(after, query) }),
  };
  const order = query.isOldestFirst === true ? OLDEST_ORDER : LIST_ORDER;
  return { filter, order, hint: hintFor(query, labels.length > 0) };
}

/** The cursor of the page after this task. */
export function cursorAfter(document: TaskDocument): NonNullable<TaskPage['nextCursor']> {
  const { createdAt } = document;
  // A time that is none stands after all others.
  const position = [createdAt instanceof Date ? createdAt.getTime() : 0, document._id];
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function positionOf(cursor: string): Position {
  const [createdAt, taskId] = parse(cursor);
  if (isMoment(createdAt) && typeof taskId === 'string') return { createdAt, taskId };
  throw new InvalidCursor('The cursor is not one that a page of this list gave.');
}

/** Milliseconds that a date can have. */
function isMoment(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
}

/** A list of a time and an id. */
const CURSOR_LIMITS = { bytes: 1_024, depth: 1 };

function parse(cursor: string): readonly unknown[] {
  try {
    const value = readJson(Buffer.from(cursor, 'base64url'), CURSOR_LIMITS);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function flowFilter({ flow, flows }: TaskFilter): Pick<Filter<TaskDocument>, 'flow'> {
  if (flows === undefined) return flow === undefined ? {} : { flow };
  return { flow: { $in: flow === undefined ? [...flows] : flows.filter((one) => one === flow) } };
}

/** The conditions on what the task does now. */
function workFilter({ owners, terms = [] }: TaskFilter): Filter<TaskDocument> {
  const held = owners === 'any' ? { $exists: true } : { $in: [...(owners ?? [])] };
  return {
    ...(owners !== undefined && { owners: held }),
    ...(terms.length > 0 && { $and: terms.map((list) => ({ terms: { $in: [...list] } })) }),
  };
}

type TimeFilter = Pick<Filter<TaskDocument>, 'createdAt'>;

/** The position bounds the index scan; `$or` alone would not. */
function timeFilter(query: TaskFilter, after: Position | undefined): TimeFilter {
  const isUp = query.isOldestFirst === true;
  const place = after?.createdAt;
  const least = [query.createdAfter, isUp ? place : undefined].filter((at) => at !== undefined);
  const bounds = {
    ...(least.length === 0 ? {} : { $gte: toDate(Math.max(...least)) }),
    ...(query.createdBefore === undefined ? {} : { $lt: toDate(query.createdBefore) }),
    ...(place === undefined || isUp ? {} : { $lte: toDate(place) }),
  };
  return Object.keys(bounds).length === 0 ? {} : { createdAt: bounds };
}

/** After all letters that an id has. */
const LAST_LETTER = '\uffff';

function idsBeginning(prefix: string): { readonly $gte: string; readonly $lt: string } {
  return { $gte: prefix, $lt: prefix + LAST_LETTER };
}

function orderedAfter(
  { createdAt, taskId }: Position,
  { isOldestFirst }: TaskFilter,
): Filter<TaskDocument>[] {
  const at = toDate(createdAt);
  if (isOldestFirst === true) return [{ createdAt: { $gt: at } }, { _id: { $gt: taskId } }];
  return [{ createdAt: { $lt: at } }, { _id: { $lt: taskId } }];
}

/** The server merges no more scans of an index; of more it sorts all that they find. */
const SCANS_MAX = 200;

/**
 * The fewest tasks have ids that begin alike, few run or wait for a person, and a label is the most
 * selective of the rest; left alone, the planner may prefer an index and a sort.
 */
function hintFor(query: TaskFilter, hasLabels: boolean): string {
  if (query.idPrefix !== undefined) return ID_INDEX;
  if (query.owners !== undefined) return LIST_INDEXES.owner;
  if (query.waitsForPerson === true) return LIST_INDEXES.waits;
  if (query.parent !== undefined) return LIST_INDEXES.parent;
  if (hasLabels) return LIST_INDEXES.label;
  const { flow, flows, statuses } = query;
  const scans = (flow === undefined ? (flows?.length ?? 0) : 1) * (statuses?.length ?? 1);
  const hasFlows = scans > 0 && scans <= SCANS_MAX;
  if (hasFlows && statuses !== undefined) return LIST_INDEXES.flowStatus;
  if (hasFlows) return LIST_INDEXES.flow;
  return statuses === undefined ? LIST_INDEXES.time : LIST_INDEXES.status;
}
