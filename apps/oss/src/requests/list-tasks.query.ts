import { TASK_STATUS, TASK_STATUS_NAMES, type TaskStatus } from '#core';
import { QueryReader } from '#nest';
import type { TaskFilter, TaskQuery } from '#ports';
import { FILTER, LABELS_MAX, PAGE_DEFAULT, PAGE_MAX, pattern } from './limits.js';

/** Parameters of `GET /v1/tasks` besides `label.<name>`. */
export const LIST_PARAMETERS = [
  'flow',
  'status',
  'createdAfter',
  'createdBefore',
  'limit',
  'cursor',
  'full',
] as const;

const LABEL = 'label.';
const CURSOR_LENGTH_MAX = 1_000;
const FILTER_PATTERN = pattern(FILTER);

/** What a list was asked for. */
export interface ListRequest {
  readonly query: TaskQuery;
  /** Whole tasks are wanted, not summaries. */
  readonly isFull: boolean;
}

/** Reads the query of `GET /v1/tasks`. */
export function readListRequest(query: unknown): ListRequest {
  const reader = new QueryReader(query).expectOnly(LIST_PARAMETERS, LABEL);
  const names = TASK_STATUS_NAMES.join(', ');
  const wanted = {
    flow: reader.value('flow', readText, 'text without control characters'),
    statuses: reader.value('status', readStatuses, `of ${names}, or their numbers, with commas`),
    labels: reader.withPrefix(LABEL, LABELS_MAX),
    createdAfter: reader.value('createdAfter', readTime, TIME),
    createdBefore: reader.value('createdBefore', readTime, TIME),
    limit: reader.value('limit', readLimit, `a whole number from 1 to ${PAGE_MAX}`),
    cursor: reader.value('cursor', readCursor, '`page.nextCursor` of the page before'),
  };
  const isFull = reader.value('full', readFlag, '`true` or `false`') ?? false;
  reader.finish();
  const { limit = PAGE_DEFAULT, ...rest } = wanted;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return { query: { limit, ...(Object.fromEntries(given) as TaskFilter) }, isFull };
}

function readFlag(text: string): boolean | null {
  return text === 'true' || (text === 'false' ? false : null);
}

const TIME = 'seconds since 1970 or a time like 2026-01-31T08:00:00Z';

function readText(text: string): string | null {
  return FILTER_PATTERN.test(text) ? text : null;
}

function readStatuses(text: string): readonly TaskStatus[] | null {
  const statuses = text.split(',').map((part) => readStatus(part.trim()));
  return statuses.includes(null) ? null : [...new Set(statuses as TaskStatus[])];
}

function readStatus(text: string): TaskStatus | null {
  const name = TASK_STATUS_NAMES.find((name) => name === text || `${TASK_STATUS[name]}` === text);
  return name === undefined ? null : TASK_STATUS[name];
}

function readTime(text: string): number | null {
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1_000;
  if (!/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d))?$/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || !isDay(text.slice(0, 10)) ? null : ms;
}

/** The 30th of February is read as a day in March. */
function isDay(text: string): boolean {
  return new Date(text).toISOString().startsWith(text);
}

function readLimit(text: string): number | null {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= PAGE_MAX ? limit : null;
}

function readCursor(text: string): string | null {
  return text.length >= 1 && text.length <= CURSOR_LENGTH_MAX ? readText(text) : null;
}
