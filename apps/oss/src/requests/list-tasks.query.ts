import { TASK_STATUS_NAMES, type TaskStatus } from '#core';
import { invalidRequest, QueryReader } from '#http-server';
import type { TaskFilter, TaskQuery } from '#ports';
import {
  readTaskSearch,
  SEARCH_LENGTH_MAX,
  STATUS_GROUPS,
  statusesOf,
  type TaskSearch,
} from './task-search.js';
import {
  EVERY_MAX,
  FILTER,
  ID_PREFIX,
  LABELS_MAX,
  PAGE_DEFAULT,
  PAGE_MAX,
  pattern,
} from './limits.js';

/** Parameters that filter tasks, besides `label.<name>`. */
const FILTERS = ['flow', 'status', 'createdAfter', 'createdBefore', 'q'] as const;

/** Parameters of `GET /v1/tasks` besides `label.<name>`. */
const LIST_PARAMETERS = [...FILTERS, 'parent', 'idPrefix', 'limit', 'cursor', 'full'] as const;

const LABEL = 'label.';
const CURSOR_LENGTH_MAX = 1_000;
const FILTER_PATTERN = pattern(FILTER);

/** A request for a list, as read. */
interface ListRequest {
  readonly query: TaskQuery;
  /** Absent: no search text was given. */
  readonly search: TaskSearch | undefined;
  /** Whole tasks are wanted, not summaries. */
  readonly isFull: boolean;
}

/** A request for a count, as read. */
interface CountRequest extends Omit<ListRequest, 'isFull'> {
  /** `status`, `flow` or `label.<name>`. */
  readonly by: string;
  /** Length of the intervals that are counted too, in milliseconds. Absent: none are. */
  readonly everyMs?: number;
}

/** Reads the query of `GET /v1/tasks`. */
export function readListRequest(query: unknown): ListRequest {
  const reader = new QueryReader(query).expectOnly(LIST_PARAMETERS, LABEL);
  const filter = readFilter(reader);
  const page = readPage(reader);
  const idPrefix = reader.value('idPrefix', readPrefix, 'the first 8 or more characters of an id');
  const isFull = reader.value('full', readFlag, '`true` or `false`') ?? false;
  const search = readSearch(reader);
  if (isFull && search !== undefined && search.texts.length > 0) {
    const hint = 'Leave out `full`, and get the tasks that you need one by one.';
    const message = 'Whole tasks are not searched for a text.';
    throw invalidRequest(...reader.faults, { pointer: '/full', message, hint });
  }
  reader.finish();
  const beginning = idPrefix === undefined ? {} : { idPrefix };
  return { query: { ...page, ...filter, ...beginning }, search, isFull };
}

function readPage(reader: QueryReader): Pick<TaskQuery, 'cursor' | 'limit'> {
  const limit = reader.value('limit', readLimit, `a whole number from 1 to ${PAGE_MAX}`);
  const cursor = reader.value('cursor', readCursor, '`page.nextCursor` of the page before');
  return { limit: limit ?? PAGE_DEFAULT, ...(cursor !== undefined && { cursor }) };
}

/** Reads the query of `GET /v1/archive`. */
export function readArchiveRequest(query: unknown): Omit<ListRequest, 'isFull'> {
  const reader = new QueryReader(query).expectOnly([...FILTERS, 'limit', 'cursor'], LABEL);
  const filter = readFilter(reader);
  const page = readPage(reader);
  const search = readSearch(reader);
  if (search !== undefined && search.texts.length > 0) {
    const message = 'Whole tasks are not searched for a text.';
    throw invalidRequest(...reader.faults, { pointer: '/q', message });
  }
  reader.finish();
  return { query: { ...page, ...filter }, search };
}

/** Reads the query of `GET /v1/events`, besides where it begins. */
export function readInterest(reader: QueryReader): Pick<ListRequest, 'search'> & Interest {
  reader.expectOnly([...FILTERS, 'parent', 'lastEventId'], LABEL);
  return { filter: readFilter(reader), search: readSearch(reader) };
}

/** The filter of tasks whose changes a client listens to. */
interface Interest {
  readonly filter: TaskFilter;
}

/** Reads the query of `GET /v1/tasks:count`. */
export function readCountRequest(query: unknown): CountRequest {
  const reader = new QueryReader(query).expectOnly([...FILTERS, 'by', 'every'], LABEL);
  const filter = readFilter(reader);
  const by = reader.value('by', readBy, '`status`, `flow` or `label.<name>`') ?? 'status';
  const everyMs = reader.value('every', readEvery, `a whole number from 1 to ${EVERY_MAX}`);
  const search = readSearch(reader);
  reader.finish();
  const every = everyMs === undefined ? {} : { everyMs };
  return { query: { limit: PAGE_MAX, ...filter }, search, by, ...every };
}

function readFilter(reader: QueryReader): TaskFilter {
  const names = [...TASK_STATUS_NAMES, ...STATUS_GROUPS.keys()].join(', ');
  const wanted = {
    flow: reader.value('flow', readText, 'text without control characters'),
    statuses: reader.value('status', readStatuses, `of ${names}, or their numbers, with commas`),
    parent: reader.value('parent', readText, 'the id of a task'),
    labels: reader.withPrefix(LABEL, LABELS_MAX),
    createdAfter: reader.value('createdAfter', readTime, TIME),
    createdBefore: reader.value('createdBefore', readTime, TIME),
  };
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

/** Throws the mistakes of a search text, each with its position, and all others so far. */
function readSearch(reader: QueryReader): TaskSearch | undefined {
  const expected = `text of at most ${SEARCH_LENGTH_MAX} characters, none of them a control`;
  const text = reader.value('q', readSearchText, expected);
  if (text === undefined) return undefined;
  const search = readTaskSearch(text);
  if (!('flows' in search)) {
    const faults = search.map(({ hint, message, position }) => {
      return { pointer: '/q', message: `At character ${position}: ${message}`, hint };
    });
    throw invalidRequest(...reader.faults, ...faults);
  }
  return search;
}

function readSearchText(text: string): string | null {
  return text.length <= SEARCH_LENGTH_MAX ? readText(text) : null;
}

function readBy(text: string): string | null {
  if (text === 'status' || text === 'flow') return text;
  return text.startsWith(LABEL) && text.length > LABEL.length ? readText(text) : null;
}

function readEvery(text: string): number | null {
  const seconds = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  return seconds >= 1 && seconds <= EVERY_MAX ? seconds * 1_000 : null;
}

function readFlag(text: string): boolean | null {
  return text === 'true' || (text === 'false' ? false : null);
}

const TIME = 'seconds since 1970 or a time like 2026-01-31T08:00:00Z';

function readText(text: string): string | null {
  return FILTER_PATTERN.test(text) ? text : null;
}

const PREFIX = pattern(ID_PREFIX);

function readPrefix(text: string): string | null {
  return PREFIX.test(text) ? text : null;
}

function readStatuses(text: string): readonly TaskStatus[] | null {
  const found = text.split(',').map((part) => statusesOf(part.trim()));
  if (found.includes(undefined)) return null;
  return [...new Set(found.flatMap((statuses) => statuses ?? []))];
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
