import { TASK_STATUS_NAMES } from '#core';
import { PAGE_DEFAULT, PAGE_MAX, WAIT_MAX_MS } from '../requests/limits.js';

/** Something a request is given besides its body. */
export interface Parameter {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: object;
}

const text = { type: 'string' };

function path(name: string, description: string, schema: object = text): Parameter {
  return { name, in: 'path', required: true, description, schema };
}

function query(name: string, description: string, schema: object = text): Parameter {
  return { name, in: 'query', required: false, description, schema };
}

function header(name: string, description: string): Parameter {
  return { name, in: 'header', required: false, description, schema: text };
}

const TIME = 'Seconds since 1970, or ISO 8601.';

const ALL: readonly Parameter[] = [
  path('taskId', 'Id of the task.'),
  path('name', 'Name of the flow.'),
  path('version', 'Number of the version.', { type: 'integer', minimum: 1 }),
  query('wait', `Answer when the task stops moving, or after this time: at most ${WAIT_MAX_MS}ms.`),
  query('flow', 'Only tasks of this flow.'),
  query('status', `Of ${TASK_STATUS_NAMES.join(', ')}, or their numbers; with commas.`),
  query('createdAfter', `Created then or later. ${TIME}`),
  query('createdBefore', `Created earlier. ${TIME}`),
  query('limit', 'Most tasks of a page.', {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_MAX,
    default: PAGE_DEFAULT,
  }),
  query('cursor', '`page.nextCursor` of the page before, with the same filters.'),
  query('lastEventId', 'Read on after this `seq`.', { type: 'integer' }),
  header('Last-Event-ID', 'Read on after this `seq`.'),
  header('Idempotency-Key', 'Repeating the request with the same key acts once.'),
  header('If-Match', 'The `ETag` of the task as the client knows it.'),
  header('If-None-Match', 'The `ETag` of the task as the client knows it.'),
  header('X-Backstep-Actor', 'Who asks, for the journal; believed as it stands. Default: api.'),
  header('traceparent', 'W3C trace context, handed on to every step.'),
];

const LABEL: Parameter = {
  ...query('label.{name}', 'Only tasks with this label; may be given for several names.'),
};

/** Every parameter, by its name in `OPERATIONS`. */
export const PARAMETERS: Readonly<Record<string, Parameter>> = {
  ...Object.fromEntries(ALL.map((parameter) => [parameter.name, parameter])),
  label: LABEL,
};

/** Headers of answers, by name. */
export const ANSWER_HEADERS: Readonly<Record<string, object>> = {
  'X-Request-Id': { description: 'Id of the request, the one it came with if that was sane.' },
  Location: { description: 'Path of the task.' },
  ETag: { description: 'Revision of the task.' },
  'Idempotent-Replayed': { description: '`true`: the request is a repetition and did nothing.' },
};
