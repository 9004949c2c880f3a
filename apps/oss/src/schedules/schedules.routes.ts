import { ref } from '../docs/schema-parts.js';
import { FLOW_NAME_PATTERN } from '../flows/flow-name.js';
import { reasonReader } from '../requests/operate.request.js';
import { CURSOR, pageLimit } from '../requests/page.query.js';
import { parameter, patternRule, RequestQuery, wholeRule } from '../requests/request-query.js';
import {
  type Answer,
  body,
  json,
  KEEPS_SECRETS,
  READS,
  type Routes,
  WRITES,
} from '../requests/route.js';
import { readScheduleRequest, triggerReader } from './schedule.request.js';

/** Problem codes of any change of a schedule. */
const CHANGES = [...WRITES, 'REVISION_CHANGED', 'SCHEDULE_NOT_FOUND', 'RECORD_UNREADABLE'] as const;

const WHO = 'X-Backstep-Actor';

/** The query of `GET /v1/schedules`. */
const SCHEDULES_QUERY = new RequestQuery({
  limit: pageLimit('schedules'),
  cursor: parameter(`${CURSOR}.`, patternRule(FLOW_NAME_PATTERN.source, CURSOR)),
});

/** The query of `GET /v1/schedules/{name}`. */
const SCHEDULE_QUERY = new RequestQuery({
  next: parameter('Number of its next moments to show.', wholeRule(1, 100)),
});

function started(description: string, headers: readonly string[] = []): Answer {
  const content = { 'application/json': ref('TaskReceipt') };
  return { description, content, headers: ['Location', ...headers] };
}

/** The requests about schedules. */
export const SCHEDULE_ROUTES = {
  listSchedules: {
    at: 'GET /v1/schedules',
    need: { role: 'viewer' },
    summary: 'List schedules, by name',
    description:
      'Each has its next moment, its last run and its counts. Those that the caller may not ' +
      'see are left out.',
    query: SCHEDULES_QUERY,
    answers: { 200: json('One page', 'SchedulePage') },
    problems: READS,
  },
  getSchedule: {
    at: 'GET /v1/schedules/{name}',
    need: { role: 'viewer' },
    summary: 'A schedule: its flow, its next moments and its last runs',
    description:
      'Shows when it starts tasks of which flow, and how the last moments came out. `next` ' +
      'asks for moments to come.',
    parameters: ['schedule'],
    query: SCHEDULE_QUERY,
    answers: { 200: json('The schedule', 'Schedule', ['ETag']) },
    problems: [...READS, 'SCHEDULE_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  explainSchedule: {
    at: 'GET /v1/schedules/{name}/why',
    need: { role: 'viewer' },
    summary: 'Why a schedule starts no task, and the results of its latest moments',
    description:
      'The causes have codes, evidence and actions that help. Consecutive moments with the ' +
      'same result stand together.',
    parameters: ['schedule'],
    answers: { 200: json('The reasons', 'ScheduleExplanation') },
    problems: [...READS, 'SCHEDULE_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  putSchedule: {
    at: 'PUT /v1/schedules/{name}',
    need: { role: 'author' },
    summary: 'Store a schedule; an equal one changes nothing',
    description:
      'The flow must exist and take the parameters. Exactly one of `cron`, `every` and `at` ' +
      'says when.',
    parameters: ['schedule', 'If-Match', 'newSchedule', WHO],
    body: body('PutSchedule', { read: readScheduleRequest }),
    answers: {
      200: json('The schedule, which existed before', 'Schedule', ['ETag']),
      201: json('The schedule, which is new or replaces an unreadable one', 'Schedule', [
        'ETag',
        'Location',
      ]),
    },
    problems: [
      ...WRITES,
      ...KEEPS_SECRETS,
      'RECORD_UNREADABLE',
      'REVISION_CHANGED',
      'FLOW_NOT_FOUND',
      'MODULE_NOT_SERVED',
      'INVALID_PARAMETERS',
      'INVALID_SCHEDULE',
      'TOO_MANY_REQUESTS',
    ],
  },
  removeSchedule: {
    at: 'DELETE /v1/schedules/{name}',
    need: { role: 'author' },
    summary: 'Remove a schedule; the tasks that it started stay',
    description:
      'Its moments end at once. Send `If-Match` to remove only the generation that was read.',
    parameters: ['schedule', 'If-Match'],
    answers: { 204: { description: 'It is removed' } },
    problems: CHANGES,
  },
  pauseSchedule: {
    at: 'POST /v1/schedules/{name}:pause',
    need: { role: 'author' },
    summary: 'Pause a schedule: its moments pass without a task',
    description:
      'Moments that pass meanwhile start no task, whatever `catchUp` says. A pause outlives ' +
      'restarts, and keeps its reason.',
    parameters: ['schedule', 'If-Match', WHO],
    body: body('Reason', reasonReader),
    answers: { 200: json('The schedule', 'Schedule') },
    problems: CHANGES,
  },
  resumeSchedule: {
    at: 'POST /v1/schedules/{name}:resume',
    need: { role: 'author' },
    summary: 'Resume a schedule from its next moment',
    description:
      'Moments that passed during the pause are not made up. The next one starts a task as ' +
      'usual.',
    parameters: ['schedule', 'If-Match', WHO],
    body: body('Reason', reasonReader),
    answers: { 200: json('The schedule', 'Schedule') },
    problems: CHANGES,
  },
  triggerSchedule: {
    at: 'POST /v1/schedules/{name}:trigger',
    need: { role: 'starter' },
    summary: 'Start a task of the schedule now, even if it is paused or a task of it runs',
    description:
      'The task has the flow, the parameters and the labels of the schedule. The moments of ' +
      'the schedule stay as they are.',
    parameters: ['schedule', 'Idempotency-Key', WHO, 'traceparent'],
    body: body('TriggerSchedule', triggerReader, { required: false }),
    answers: {
      200: started('The task that an equal request created before', ['Idempotent-Replayed']),
      201: started('The task'),
    },
    problems: [
      ...WRITES,
      ...KEEPS_SECRETS,
      'RECORD_UNREADABLE',
      'SCHEDULE_NOT_FOUND',
      'FLOW_NOT_FOUND',
      'MODULE_NOT_SERVED',
      'INVALID_PARAMETERS',
      'EXPRESSION_FAILED',
      'IDEMPOTENCY_KEY_REUSED',
      'TOO_MANY_REQUESTS',
      'TOO_MANY_LIVE',
    ],
  },
} as const satisfies Routes;
