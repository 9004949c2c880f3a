import { EVENTS_QUERY } from '../requests/events.query.js';
import { TASK_EVENTS_QUERY } from '../requests/last-event-id.js';
import { LIST_QUERY } from '../requests/list-tasks.query.js';
import { WAIT_QUERY } from '../requests/wait.query.js';
import { ref } from './schema-parts.js';
import {
  type Answer,
  body,
  json,
  KEEPS_SECRETS,
  type Operation,
  READS,
  TAKES_BODY,
  WRITES,
} from './operation.js';

const IN_PATH = ['taskId'];

/** A task as its creator is answered, who may have waited for it. */
function created(what: string, headers: readonly string[]): Answer {
  const schema = { anyOf: [ref('TaskReceipt'), ref('Task')] };
  return {
    description: `${what}; with \`wait\` the whole task and its \`ETag\``,
    content: { 'application/json': schema },
    headers: ['Location', 'ETag', ...headers],
  };
}

/** Actions whose body may name a step that the task does not have. */
const NAMES_STEP = ['rollback', 'skip', 'reset'];

/** Actions whose body may have secrets. */
const TAKES_SECRETS = ['retry', 'skip', 'reset'];

const REFUSES_VALUES = ['INVALID_PARAMETERS'] as const;

const SIGNALS = ['SIGNALS_FULL'] as const;

/** Answers to a question, and news: nobody else has to want them. */
const NEEDS_ONE = ['signal', 'approve', 'reject'];

/** The answer to an action that needs two people. */
export const WAITS = {
  202: json('It waits for a second person, as `BACKSTEP_APPROVALS` demands', 'Operation', [
    'Location',
    'Idempotent-Replayed',
  ]),
};

function personsAction(verb: string, summary: string, schema: string): Operation {
  return {
    route: `POST /v1/tasks/{taskId}:${verb}`,
    id: `${verb}Task`,
    summary,
    tag: 'tasks',
    parameters: [...IN_PATH, 'Idempotency-Key', 'If-Match', 'X-Backstep-Actor'],
    body: body(schema),
    answers: {
      200: json('The whole task', 'Task', ['ETag', 'Idempotent-Replayed']),
      ...(NEEDS_ONE.includes(verb) ? {} : WAITS),
    },
    problems: [
      ...WRITES,
      'TASK_NOT_FOUND',
      'ILLEGAL_ACTION',
      'TASK_UNREADABLE',
      'REVISION_CHANGED',
      'IDEMPOTENCY_KEY_REUSED',
      'RECORD_UNREADABLE',
      'TOO_MANY_REQUESTS',
      ...(verb === 'signal' ? SIGNALS : []),
      ...(NAMES_STEP.includes(verb) || TAKES_SECRETS.includes(verb) ? REFUSES_VALUES : []),
      ...(TAKES_SECRETS.includes(verb) ? KEEPS_SECRETS : []),
    ],
  };
}

const RESTART: Operation = {
  route: 'POST /v1/tasks/{taskId}:restart',
  id: 'restartTask',
  summary: 'Create a new task with the flow and parameters of an ended one',
  tag: 'tasks',
  parameters: [...IN_PATH, 'Idempotency-Key', 'X-Backstep-Actor', 'traceparent'],
  body: body('Restart'),
  answers: {
    200: created('The task that an equal request created before', ['Idempotent-Replayed']),
    201: created('The task', []),
    ...WAITS,
  },
  problems: [
    ...WRITES,
    ...KEEPS_SECRETS,
    'TASK_NOT_FOUND',
    'FLOW_NOT_FOUND',
    'ILLEGAL_ACTION',
    'INVALID_PARAMETERS',
    'EXPRESSION_FAILED',
    'FLOW_CANNOT_RUN',
    'MODULE_NOT_SERVED',
    'IDEMPOTENCY_KEY_REUSED',
    'RECORD_UNREADABLE',
    'TASK_UNREADABLE',
    'TOO_MANY_REQUESTS',
    'TOO_MANY_LIVE',
  ],
};

/** The requests about tasks, and the actions on them. */
export const TASK_OPERATIONS: readonly Operation[] = [
  {
    route: 'POST /v1/tasks',
    id: 'createTask',
    summary: 'Create a task; answers once it is stored',
    tag: 'tasks',
    parameters: ['Idempotency-Key', 'X-Backstep-Actor', 'traceparent'],
    query: WAIT_QUERY,
    body: body('CreateTask'),
    answers: {
      200: created('The task that an equal request created before', ['Idempotent-Replayed']),
      201: created('The task', []),
    },
    problems: [
      ...WRITES,
      ...KEEPS_SECRETS,
      'FLOW_NOT_FOUND',
      'INVALID_PARAMETERS',
      'EXPRESSION_FAILED',
      'FLOW_CANNOT_RUN',
      'MODULE_NOT_SERVED',
      'IDEMPOTENCY_KEY_REUSED',
      'RECORD_UNREADABLE',
      'TASK_UNREADABLE',
      'TOO_MANY_REQUESTS',
      'TOO_MANY_LIVE',
    ],
  },
  {
    route: 'POST /v1/tasks:batch',
    id: 'createTasks',
    summary: 'Create up to 1,000 tasks; each entry gets its own answer',
    tag: 'tasks',
    parameters: ['X-Backstep-Actor', 'traceparent'],
    body: body('Batch'),
    answers: { 200: json('The result of each entry, in order', 'BatchResults') },
    problems: [...TAKES_BODY],
  },
  {
    route: 'GET /v1/tasks',
    id: 'listTasks',
    summary: 'List tasks by when they were created: summaries, or whole tasks with `full=true`',
    tag: 'tasks',
    query: LIST_QUERY,
    answers: { 200: json('One page', 'TaskPage') },
    problems: [...READS, 'TOO_MANY_REQUESTS'],
  },
  {
    route: 'GET /v1/tasks/{taskId}',
    id: 'getTask',
    summary: 'The whole task',
    tag: 'tasks',
    parameters: [...IN_PATH, 'If-None-Match'],
    answers: {
      200: json('The whole task', 'Task', ['ETag']),
      304: { description: 'The client has this revision', headers: ['ETag'] },
    },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE'],
  },
  {
    route: 'GET /v1/tasks/{taskId}/events',
    id: 'listEvents',
    summary: 'The journal of a task, as a list or live',
    tag: 'tasks',
    parameters: [...IN_PATH, 'Last-Event-ID'],
    query: TASK_EVENTS_QUERY,
    answers: {
      200: {
        description: 'With `Accept: text/event-stream` live, until the task has ended',
        content: {
          'application/json': ref('Events'),
          'text/event-stream': { type: 'string', description: '`id` seq, `event` kind, `data`.' },
        },
      },
      204: { description: 'The task has ended and the client has every event' },
    },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE', 'TOO_MANY_REQUESTS'],
  },
  {
    route: 'GET /v1/events',
    id: 'listChanges',
    summary: 'Summaries of changed tasks: live, or a page after the last event',
    tag: 'tasks',
    parameters: ['Last-Event-ID'],
    query: EVENTS_QUERY,
    answers: {
      200: {
        description: 'With `Accept: text/event-stream` live, until the client disconnects',
        content: {
          'application/json': ref('Changes'),
          'text/event-stream': {
            type: 'string',
            description: '`id` for `Last-Event-ID`, `event` task, `data` a summary as in lists.',
          },
        },
      },
    },
    problems: [...READS, 'TOO_MANY_REQUESTS'],
  },
  personsAction(
    'rollback',
    'Roll back: undo everything that ran, or everything down to a step',
    'Rollback',
  ),
  personsAction('terminate', 'Stop the task for good, without undoing', 'Reason'),
  personsAction('retry', 'Retry what failed, on hold or after a failed rollback', 'Retry'),
  personsAction('skip', 'Count a step as done, or as undone by hand', 'Skip'),
  personsAction('pause', 'Start no further step, in either direction; running steps end', 'Reason'),
  personsAction('resume', 'Resume a paused task', 'Reason'),
  personsAction('reset', 'Undo a step and the steps that need it, then run them again', 'Reset'),
  personsAction('undo', 'Undo a task that succeeded', 'Reason'),
  personsAction(
    'signal',
    'Send a signal to a task, for a step that waits for it now or later',
    'Signal',
  ),
  personsAction('approve', 'Approve a step that waits for an approval', 'Judge'),
  personsAction('reject', 'Reject a step that waits for an approval', 'Judge'),
  RESTART,
];
