import { TASK_STATUS, TASK_STATUS_NAMES } from '#core';
import { OPERATION_STATUSES } from '#ports';
import { DURATION_PATTERN } from '#wording';
import {
  ACTOR,
  CHILD_ID,
  EVERY_MAX,
  FILTER,
  ID_PREFIX,
  KEY,
  PAGE_DEFAULT,
  PAGE_MAX,
  ENTITY_TAGS,
  WAIT_MAX_MS,
} from '../requests/limits.js';
import { FLOW_NAME_PATTERN } from '../flows/flow-name.js';
import { SEARCH_LENGTH_MAX, STATUS_GROUPS } from '../requests/task-search.js';
import { PREVIEWED } from '../tasks/preview.controller.js';

/** Something a request is given besides its body. */
interface Parameter {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: object;
}

const text = { type: 'string' };
const stepName = { ...text, minLength: 1, maxLength: 2_100 };

function path(name: string, description: string, schema: object = text): Parameter {
  return { name, in: 'path', required: true, description, schema };
}

/** A text that is looked for. */
const searched = { ...text, minLength: 1, maxLength: 200 };

function query(name: string, description: string, schema: object = text): Parameter {
  return { name, in: 'query', required: false, description, schema };
}

function header(name: string, description: string, schema: object = text): Parameter {
  return { name, in: 'header', required: false, description, schema };
}

/** Text that fits a pattern. */
function fitting(pattern: string): object {
  return { ...text, pattern };
}

/** Names of modules and commands. */
const COMMAND_NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$';

const TIME = 'Seconds since 1970, or ISO 8601.';
const day = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const zone = 'Z|[+-][0-9]{2}:?[0-9]{2}';
const time = fitting(`^([0-9]{1,12}|${day}(T[0-9:.]+(${zone}))?)$`);
const duration = fitting(DURATION_PATTERN);
const statusWords = [...TASK_STATUS_NAMES, ...STATUS_GROUPS.keys()];
const anyStatus = `\\s*(${[...statusWords, ...Object.values(TASK_STATUS)].join('|')})\\s*`;
const version = { type: 'integer', minimum: 1, maximum: 999_999_999 };
const seq = { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 };

const ALL: readonly Parameter[] = [
  path('taskId', 'Id of the task.'),
  path('run', 'Id of the run of a step, percent-encoded.'),
  path('name', 'Name of the flow.'),
  path('id', 'Id of the key.'),
  path('operationId', 'Id of the operation.'),
  path('module', 'Name of the module.', fitting(COMMAND_NAME)),
  path('command', 'Name of the command.', fitting(COMMAND_NAME)),
  path('version', 'Number of the version.', version),
  query(
    'wait',
    `Answer when the task stops moving, or after this time: at most ${WAIT_MAX_MS}ms.`,
    duration,
  ),
  query('flow', 'Only tasks of this flow.', fitting(FILTER)),
  query(
    'status',
    `Of ${statusWords.join(', ')}, or their numbers; with commas.`,
    fitting(`^${anyStatus}(,${anyStatus})*$`),
  ),
  query('parent', 'Only child tasks of the task with this id.', fitting(FILTER)),
  query('idPrefix', 'Only tasks whose id begins so.', fitting(ID_PREFIX)),
  query('createdAfter', `Created then or later. ${TIME}`, time),
  query('createdBefore', `Created earlier. ${TIME}`, time),
  query(
    'q',
    'A search: `flow:create-* status:failed label.team:payments text:"no host" age:>1h`.',
    {
      ...text,
      maxLength: SEARCH_LENGTH_MAX,
    },
  ),
  query('by', 'What is counted by: `status`, `flow` or `label.<name>`.', {
    ...text,
    pattern: '^(status|flow|label\\..+)$',
    default: 'status',
  }),
  query('every', 'Counts also by when tasks were created, in intervals of so many seconds.', {
    type: 'integer',
    minimum: 1,
    maximum: EVERY_MAX,
  }),
  query('limit', 'Most tasks of a page.', {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_MAX,
    default: PAGE_DEFAULT,
  }),
  query('cursor', '`page.nextCursor` of the page before, with the same filters.', {
    ...text,
    minLength: 1,
  }),
  query('full', 'Whole tasks instead of summaries; a page then also ends after 2 MiB.', {
    type: 'boolean',
    default: false,
  }),
  query('lastEventId', 'Read on after this event.', seq),
  header('Last-Event-ID', 'Read on after this event.', fitting('^[0-9]{0,15}$')),
  header('Idempotency-Key', 'Repeating the request with the same key acts once.', fitting(KEY)),
  header(
    'If-Match',
    'The `ETag` as the client knows it; several, with commas: one of them.',
    fitting(`^\\*$|${ENTITY_TAGS}`),
  ),
  header('If-None-Match', 'The `ETag` of the task as the client knows it.'),
  header(
    'X-Backstep-Actor',
    'Who asks, for the journal, where no key says so; believed as it stands. Default: api.',
    fitting(ACTOR),
  ),
  header('X-Backstep-Reason', 'Why, for the audit log; text in UTF-8. Default: no reason.'),
  header('traceparent', 'W3C trace context, handed on to every step.'),
];

const LABEL: Parameter = {
  ...query('label.{name}', 'Only tasks with this label; may be given for several names.'),
};

/** Every parameter, by its name in `OPERATIONS`. */
export const PARAMETERS: Readonly<Record<string, Parameter>> = {
  ...Object.fromEntries(ALL.map((parameter) => [parameter.name, parameter])),
  label: LABEL,
  returnTo: query('returnTo', 'The page of the console to come back to. Default: the first one.', {
    ...fitting('^/console/'),
    maxLength: 1_000,
    default: '/console/',
  }),
  signInState: query('state', 'As the request to the provider had it.'),
  signInCode: query('code', 'What becomes an ID token at the provider.'),
  signInError: query('error', 'Why the provider signs nobody in.'),
  signInIssuer: query('iss', 'Who says so.'),
  auditLimit: query('limit', 'Most entries of a page.', {
    type: 'integer',
    minimum: 1,
    maximum: 1_000,
    default: 100,
  }),
  auditCursor: query('cursor', '`page.nextCursor` of the page before, in the same order.', {
    ...text,
    pattern: '^[0-9]{1,15}$',
  }),
  auditActor: query('actor', 'Only entries whose actor has this text, in any case.', searched),
  auditOperation: query(
    'operation',
    'Only entries whose operation has this text, in any case: `:terminate`.',
    searched,
  ),
  auditTarget: query('target', 'Only entries whose target has this text, in any case.', searched),
  operationLimit: query('limit', 'Most operations of a page.', {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_MAX,
    default: PAGE_DEFAULT,
  }),
  operationStatus: query('status', 'Only those of this status.', {
    enum: [...OPERATION_STATUSES],
  }),
  operationCursor: query('cursor', '`page.nextCursor` of the page before.', {
    ...text,
    pattern: '^[0-9]{1,15}[.][A-Za-z0-9_-]{1,64}$',
  }),
  versionCursor: query('cursor', '`page.nextCursor` of the page before.', {
    type: 'integer',
    minimum: 1,
  }),
  to: query('to', 'Number of the version to compare with. Default: the newest.', version),
  previewed: { ...query('action', 'The action.', { ...text, enum: PREVIEWED }), required: true },
  backTo: query('to', 'Of `rollback` and `reset`: the step down to which it goes back.', stepName),
  ofStep: query(
    'step',
    'Of `skip`, `approve` and `reject`: the step, or the id of its run.',
    stepName,
  ),
  ofChildren: query(
    'children',
    'Of `retry` and `reset`: `failed`, `all`, or the id of the child task that is begun anew.',
    CHILD_ID,
  ),
  schedule: path('name', 'Name of the schedule.'),
  next: query('next', 'How many of its next moments are told.', {
    type: 'integer',
    minimum: 1,
    maximum: 100,
  }),
  scheduleCursor: query('cursor', '`page.nextCursor` of the page before.', {
    ...text,
    pattern: FLOW_NAME_PATTERN.source,
  }),
  newSchedule: header('If-None-Match', '`*`: only if there is no such schedule.', {
    ...text,
    enum: ['*'],
  }),
  notification: path('name', 'Name of the notification.'),
  notificationCursor: query('cursor', '`page.nextCursor` of the page before.', {
    ...text,
    pattern: FLOW_NAME_PATTERN.source,
  }),
  deliveryCursor: query('cursor', '`page.nextCursor` of the page before.', {
    ...text,
    pattern: '^[0-9]{1,15}-[A-Za-z0-9_-]{1,100}$',
  }),
  newNotification: header('If-None-Match', '`*`: only if there is no such notification.', {
    ...text,
    enum: ['*'],
  }),
  onlyNew: header('If-None-Match', '`*`: only if there is no such flow.', { ...text, enum: ['*'] }),
  first: query('first', 'Which end to begin at.', { enum: ['newest', 'oldest'] }),
};

/** Headers of answers, by name. */
export const ANSWER_HEADERS: Readonly<Record<string, object>> = {
  'X-Request-Id': { description: 'Id of the request, the one it came with if that was sane.' },
  Location: { description: 'Path of what was made, or of the page that is meant.' },
  ETag: { description: 'Revision of the task, version of the flow, generation of the schedule.' },
  'Idempotent-Replayed': { description: '`true`: the request is a repetition and did nothing.' },
};
