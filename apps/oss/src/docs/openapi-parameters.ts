import { FLOW_NAME_PATTERN } from '../flows/flow-name.js';
import { MARK_FORM } from '../output/line-mark.js';
import { PROTOCOLS } from '../requests/headers.js';
import { ACTOR, ENTITY_TAGS, KEY } from '../requests/limits.js';
import type { DescribedParameter } from '../requests/request-query.js';
import { WORKER } from '../work/forms.js';

const text = { type: 'string' };

/** Longest part of a path; a claim, which says all of itself, may be longer. */
const PART_MAX = 256;
const CLAIM_MAX = 1_024;
const part = { ...text, minLength: 1, maxLength: PART_MAX, pattern: '^[^/:]+$' };

function path(name: string, description: string, schema: object = part): DescribedParameter {
  return { name, in: 'path', required: true, description, schema };
}

function header(name: string, description: string, schema: object = text): DescribedParameter {
  return { name, in: 'header', required: false, description, schema };
}

/** Text that fits a pattern. */
function fitting(pattern: string): object {
  return { ...text, pattern };
}

const NAME = fitting(FLOW_NAME_PATTERN.source);

/** The header of a request that only stores what is new. */
function onlyNew(what: string): DescribedParameter {
  const schema = { ...text, enum: ['*'] };
  return header('If-None-Match', `\`*\`: only if no such ${what} exists.`, schema);
}

const ENTITY_TAGS_OR_ANY = `^\\*$|${ENTITY_TAGS}`;

const ALL: readonly DescribedParameter[] = [
  path('taskId', 'Id of the task.'),
  path('page', 'Name of the page.', fitting('^[a-z0-9-]{1,100}$')),
  path('run', 'Id of the run of a step, percent-encoded.'),
  path('name', 'Name of the flow.', NAME),
  path('id', 'Id of the key.'),
  path('operationId', 'Id of the operation.'),
  path('module', 'Name of the module.', NAME),
  path('command', 'Name of the command.', NAME),
  path('worker', 'Name of the worker, percent-encoded.', fitting(WORKER)),
  path('claim', 'The `claim` of an item.', { ...part, maxLength: CLAIM_MAX }),
  path('version', 'Number of the version.', { type: 'integer', minimum: 1, maximum: 999_999_999 }),
  header('Last-Event-ID', 'Read on after this event.', fitting('^[0-9]{0,15}$')),
  header(
    'Idempotency-Key',
    'A request that is repeated with the same key acts once.',
    fitting(KEY),
  ),
  header(
    'If-Match',
    'The `ETag` that the client knows. Of several, with commas, one must match.',
    fitting(ENTITY_TAGS_OR_ANY),
  ),
  header('If-None-Match', 'The `ETag` of the task that the client knows.'),
  header(
    'X-Backstep-Actor',
    'Actor in the journal, if no credential names one: not verified without access control, and ' +
      'with `proxy` in `BACKSTEP_AUTH` only accepted from the proxy. Default: api.',
    fitting(ACTOR),
  ),
  header('Backstep-Worker-Protocol', 'Number of the worker protocol. Default: 1.', {
    ...text,
    enum: PROTOCOLS.map(String),
  }),
  header('X-Backstep-Reason', 'The reason, for the audit log, in UTF-8. Default: none.'),
  header('traceparent', 'W3C trace context, passed to every step.'),
];

/** Every header and part of a path, by its name in routes. */
export const PARAMETERS: Readonly<Record<string, DescribedParameter>> = {
  ...Object.fromEntries(ALL.map((parameter) => [parameter.name, parameter])),
  knownLine: header('Last-Event-ID', 'Read on after this line.', fitting(MARK_FORM)),
  schedule: path('name', 'Name of the schedule.', NAME),
  newSchedule: onlyNew('schedule'),
  notification: path('name', 'Name of the notification.', NAME),
  newNotification: onlyNew('notification'),
  newLimit: onlyNew('module limit'),
  onlyNew: onlyNew('flow'),
  knownAnswer: header('If-None-Match', 'The `ETag` of the answer that the client knows.'),
};

const WHOLE_SECONDS = { type: 'integer', minimum: 1 };

/** Headers of answers, by name. */
export const HEADERS: Readonly<Record<string, object>> = {
  'X-Request-Id': headerOf('Id of the request: the one that was sent, if it is valid.'),
  Location: headerOf('Address of the new resource, or of the page to go to.'),
  ETag: headerOf(
    'Revision of a task, version of a flow, generation of a schedule, notification or module ' +
      'limit; or of the bytes of the answer.',
  ),
  'Idempotent-Replayed': headerOf('`true`: the request is a repetition and changed nothing.'),
  'Retry-After': headerOf('Seconds after which a repetition may succeed.', WHOLE_SECONDS),
  'WWW-Authenticate': headerOf('How to prove who asks, as RFC 6750 has it.'),
};

function headerOf(description: string, schema: object = text): object {
  return { description, schema };
}
