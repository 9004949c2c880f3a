import { TASK_STATUS, TASK_STATUS_NAMES, type TaskStatus } from '#core';
import { invalidRequest, type QueryReader } from '#http-server';
import type { TaskFilter, TaskQuery } from '#ports';
import { EVERY_MAX, FILTER, ID_PREFIX, LABELS_MAX, lineForm, PAGE_MAX } from './limits.js';
import { CURSOR, pageLimit } from './page.query.js';
import {
  formRule,
  orElse,
  parameter,
  patternRule,
  RequestQuery,
  type QueryParameter,
  readAs,
  wholeRule,
  wordRule,
} from './request-query.js';
import {
  needsStore,
  readTaskSearch,
  SEARCH_LENGTH_MAX,
  STORE_ONLY,
  STATUS_GROUPS,
  statusesOf,
  type TaskSearch,
} from './task-search.js';
import { TIME, TIME_FORM } from './time.query.js';

const LABEL = 'label.';
const CURSOR_LENGTH_MAX = 1_000;

const STATUS_WORDS = [...TASK_STATUS_NAMES, ...STATUS_GROUPS.keys()];
const ANY_STATUS = `\\s*(${[...STATUS_WORDS, ...Object.values(TASK_STATUS)].join('|')})\\s*`;
const STATUSES = readAs(
  patternRule(
    `^${ANY_STATUS}(,${ANY_STATUS})*$`,
    `of ${STATUS_WORDS.join(', ')}, or their numbers, with commas`,
  ),
  readStatuses,
);

const TEXT = patternRule(FILTER, 'text without control characters');

/** Only children of one task. */
export const PARENT = parameter(
  'Only child tasks of the task with this id.',
  patternRule(FILTER, 'the id of a task'),
);

type Labels = Readonly<Record<string, string>> | undefined;

const LABEL_PAIRS: QueryParameter<Labels> = {
  description:
    'Only tasks with this label, as `name=value`. Repeat it for several names. ' +
    '`label.<name>=<value>` is the same.',
  schema: { type: 'array', items: { type: 'string', pattern: '^[^=]+=' }, maxItems: LABELS_MAX },
  take: (reader) => reader.pairs('label', { max: LABELS_MAX, prefix: LABEL }),
};

const LABELS: QueryParameter<Labels> = {
  prefix: LABEL,
  description: 'Only tasks with this label. Repeat it for several names.',
  schema: { type: 'string' },
  take: (reader) => reader.withPrefix(LABEL, LABELS_MAX),
};

/** Parameters that filter tasks. */
export const FILTERS = {
  flow: parameter('Only tasks of this flow.', TEXT),
  status: parameter(
    `Only tasks of these statuses, with commas: ${STATUS_WORDS.join(', ')}, or their numbers.`,
    STATUSES,
  ),
  label: LABEL_PAIRS,
  labels: LABELS,
  createdAfter: parameter(`Only tasks created at this time or later. ${TIME_FORM}`, TIME),
  createdBefore: parameter(`Only tasks created before this time. ${TIME_FORM}`, TIME),
  q: parameter(
    'A search, such as `flow:create-* status:failed label.team:payments text:"no host" age:>1h`.',
    formRule(
      lineForm(0, SEARCH_LENGTH_MAX),
      `text of at most ${SEARCH_LENGTH_MAX} characters, none of them a control`,
    ),
  ),
};

const PAGE = {
  limit: pageLimit('tasks'),
  cursor: parameter(
    '`page.nextCursor` of the page before, with the same filters.',
    formRule(lineForm(1, CURSOR_LENGTH_MAX), CURSOR),
  ),
};

const ORDERS = ['newest', 'oldest'] as const;

const LISTED = new RequestQuery({
  ...FILTERS,
  parent: PARENT,
  idPrefix: parameter(
    'Only tasks whose id begins with this text.',
    patternRule(ID_PREFIX, 'the first 8 or more characters of an id'),
  ),
  order: orElse(
    parameter(
      'Which of the tasks come first, by when they were created.',
      wordRule(ORDERS, 'one of `newest` and `oldest`'),
    ),
    'newest',
  ),
  ...PAGE,
  full: orElse(
    parameter<boolean>('Whole tasks instead of summaries; a page then also ends after 2 MiB.', {
      schema: { type: 'boolean' },
      expected: '`true` or `false`',
      read: (text) => text === 'true' || (text === 'false' ? false : null),
    }),
    false,
  ),
});

const COUNTED = new RequestQuery({
  ...FILTERS,
  by: orElse(
    parameter('Count by this: `status`, `flow` or `label.<name>`.', {
      schema: { type: 'string', pattern: '^(status|flow|label[.][^\\x00-\\x1f\\x7f-\\x9f]+)$' },
      expected: '`status`, `flow` or `label.<name>`',
      read: readBy,
    }),
    'status',
  ),
  every: parameter(
    'Count also by time of creation, in intervals of so many seconds.',
    wholeRule(1, EVERY_MAX),
  ),
});

/** The query of `GET /v1/tasks`. */
export const LIST_QUERY = LISTED.as((values, reader) => {
  const { cursor, full, idPrefix, limit } = values;
  const search = searchOf(values.q, reader);
  if (full && search !== undefined && search.texts.length > 0) {
    const hint = 'Leave out `full`, and get the tasks that you need one by one.';
    const message = 'Whole tasks cannot be searched for text.';
    throw invalidRequest(...reader.faults, { pointer: '/full', message, hint });
  }
  const isOldestFirst = values.order === 'oldest' ? (true as const) : undefined;
  const query: TaskQuery = {
    limit,
    ...given({ cursor, idPrefix, isOldestFirst }),
    ...filterOf(values),
  };
  return { query, search, isFull: full };
});

/** The query of `GET /v1/archive`. */
export const ARCHIVE_QUERY = new RequestQuery({ ...FILTERS, ...PAGE }).as((values, reader) => {
  const { cursor, limit } = values;
  const search = searchOf(values.q, reader);
  if (search !== undefined && search.texts.length > 0) {
    const message = 'The archive cannot be searched for text.';
    throw invalidRequest(...reader.faults, { pointer: '/q', message });
  }
  expectSummaries(search, 'The archive has tasks that have ended, and', reader);
  const query: TaskQuery = { limit, ...given({ cursor }), ...filterOf(values) };
  return { query, search };
});

/** The query of `GET /v1/tasks:count`. */
export const COUNT_QUERY = COUNTED.as((values, reader) => {
  const { by, every } = values;
  const search = searchOf(values.q, reader);
  const query: TaskQuery = { limit: PAGE_MAX, ...filterOf(values) };
  return { query, search, by, everyMs: every === undefined ? undefined : every * 1_000 };
});

/** Values of parameters that filter tasks. */
interface Filters {
  readonly flow: string | undefined;
  readonly status: readonly TaskStatus[] | undefined;
  readonly parent?: string | undefined;
  readonly label: Labels;
  readonly labels: Labels;
  readonly createdAfter: number | undefined;
  readonly createdBefore: number | undefined;
}

/** The filter of tasks that a query asks for, besides its search. */
export function filterOf(filters: Filters): TaskFilter {
  const { createdAfter, createdBefore, flow, label, parent, status: statuses } = filters;
  const labels = label === undefined ? filters.labels : { ...label, ...filters.labels };
  return given({ flow, statuses, parent, labels, createdAfter, createdBefore });
}

type Given<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Without the members that are not there. */
function given<T extends object>(members: T): Given<T> {
  const found: Partial<T> = {};
  for (const name in members) if (members[name] !== undefined) found[name] = members[name];
  return found as Given<T>;
}

/** Throws if a search has terms that are known of unfinished tasks in the store alone. */
export function expectSummaries(
  search: TaskSearch | undefined,
  why: string,
  reader: QueryReader,
): void {
  if (search === undefined || !needsStore(search)) return;
  const message = `${why} ${STORE_ONLY}`;
  throw invalidRequest(...reader.faults, { pointer: '/q', message });
}

/** Throws the mistakes of a search text, each with its position, and all others so far. */
export function searchOf(text: string | undefined, reader: QueryReader): TaskSearch | undefined {
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

function readBy(text: string): string | null {
  if (text === 'status' || text === 'flow') return text;
  return text.startsWith(LABEL) && text.length > LABEL.length ? TEXT.read(text) : null;
}

function readStatuses(text: string): readonly TaskStatus[] | null {
  const found = text.split(',').map((part) => statusesOf(part.trim()));
  if (found.includes(undefined)) return null;
  return [...new Set(found.flatMap((statuses) => statuses ?? []))];
}
