import { EVENTS_QUERY } from '../requests/events.query.js';
import { TASK_EVENTS_QUERY } from '../requests/last-event-id.js';
import { LIST_QUERY } from '../requests/list-tasks.query.js';
import { WAIT_QUERY } from '../requests/wait.query.js';
import { ref } from '../docs/schema-parts.js';
import {
  type Answer,
  body,
  json,
  KEEPS_SECRETS,
  type Operation,
  READS,
  TAKES_BODY,
  WRITES,
} from '../requests/route.js';

const IN_PATH = ['taskId'];

/** A task as its creator is answered, who may have waited for it. */
function created(what: string, headers: readonly string[]): Answer {
  const description = `${what}; with \`wait\` the whole task and its \`ETag\``;
  return json(description, 'CreatedTask', ['Location', 'ETag', ...headers]);
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

function personsAction(
  verb: string,
  told: Pick<Operation, 'body' | 'description' | 'summary'>,
): Operation {
  return {
    route: `POST /v1/tasks/{taskId}:${verb}`,
    id: `${verb}Task`,
    ...told,
    tag: 'tasks',
    parameters: [...IN_PATH, 'Idempotency-Key', 'If-Match', 'X-Backstep-Actor'],
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
  description:
    'The new task starts from the beginning, and names the old one in `restartOf`. ' +
    'Parameters that are sent along replace those of the same name.',
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
    description:
      'The task is durable before the answer leaves, and its first steps are under way. With ' +
      'an idempotency key a repetition answers with the same task, and starts no second one.',
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
    description:
      'Each entry is checked and stored by itself, so a bad one harms no other. The results ' +
      'have the order of the entries, each with a status as the request alone would have had.',
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
    description:
      'Pages stay stable while tasks are created: none is shown twice or left out. All ' +
      'filters must match, and `q` has the same grammar as the command line and the console.',
    tag: 'tasks',
    query: LIST_QUERY,
    answers: { 200: json('One page', 'TaskPage') },
    problems: [...READS, 'TOO_MANY_REQUESTS'],
  },
  {
    route: 'GET /v1/tasks/{taskId}',
    id: 'getTask',
    summary: 'The whole task',
    description:
      'Shows steps, parameters, errors and all that has become of them. Its `ETag` is the ' +
      'revision, by which `If-Match` of an action refuses to act on a newer one.',
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
    description:
      'The events are in order, and `seq` numbers them from 1. With `Accept: ' +
      'text/event-stream` they come live as server-sent events, from after `Last-Event-ID` ' +
      'until the task has ended.',
    tag: 'tasks',
    parameters: [...IN_PATH, 'Last-Event-ID'],
    query: TASK_EVENTS_QUERY,
    answers: {
      200: {
        // Generators take two forms of one answer for a choice that the program has to make.
        description:
          'The events; with `Accept: text/event-stream` a stream until the task has ended: `id` ' +
          'seq, `event` kind, `data` an event',
        content: { 'application/json': ref('Events') },
      },
      204: { description: 'The task has ended and the client has every event' },
    },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE', 'TOO_MANY_REQUESTS'],
  },
  {
    route: 'GET /v1/events',
    id: 'listChanges',
    summary: 'Summaries of changed tasks: live, or a page after the last event',
    description:
      'Each entry is the summary of a task as it is now, once for all its changes since the ' +
      'last one. With `Accept: text/event-stream` they come live, and a client that ' +
      'reconnects with `Last-Event-ID` misses none.',
    tag: 'tasks',
    parameters: ['Last-Event-ID'],
    query: EVENTS_QUERY,
    answers: {
      200: {
        description:
          'The changes; with `Accept: text/event-stream` a stream until the client disconnects: ' +
          '`id` for `Last-Event-ID`, `event` task, `data` a summary as in lists',
        content: { 'application/json': ref('Changes') },
      },
    },
    problems: [...READS, 'TOO_MANY_REQUESTS'],
  },
  personsAction('rollback', {
    summary: 'Roll back: undo everything that ran, or everything down to a step',
    description:
      'Running commands are cancelled, and steps are undone last first. With `to` only that ' +
      'step and the steps that need it are undone, and the task is then on hold.',
    body: body('Rollback'),
  }),
  personsAction('terminate', {
    summary: 'Stop the task for good, without undoing',
    description:
      'Running commands are cancelled, and nothing more is undone. The task is final ' +
      'afterwards.',
    body: body('Reason'),
  }),
  personsAction('retry', {
    summary: 'Retry what failed, on hold or after a failed rollback',
    description:
      'A step on hold, or a rollback that failed, gets new attempts. Parameters that are sent ' +
      'along are merged, and recorded with the values that they replace.',
    body: body('Retry'),
  }),
  personsAction('skip', {
    summary: 'Count a step as done, or as undone by hand',
    description:
      'Use it for a step that was done, or undone, by hand. The task goes on from there, and ' +
      'the journal has the reason.',
    body: body('Skip'),
  }),
  personsAction('pause', {
    summary: 'Start no further step, in either direction; running steps end',
    description:
      'Commands that run may end, and their results count. The task waits until a person ' +
      'resumes, rolls back or terminates it.',
    body: body('Reason'),
  }),
  personsAction('resume', {
    summary: 'Resume a paused task',
    description:
      'The task goes on where it was, in the direction that it had. The reason is kept in the ' +
      'journal.',
    body: body('Reason'),
  }),
  personsAction('reset', {
    summary: 'Undo a step and the steps that need it, then run them again',
    description:
      'The step `to` and the steps that need it are undone, last first. Then the task goes ' +
      'forward from there with new runs.',
    body: body('Reset'),
  }),
  personsAction('undo', {
    summary: 'Undo a task that succeeded',
    description:
      'The task goes back as if it had failed at its very end. Only a task that succeeded can ' +
      'be undone.',
    body: body('Reason'),
  }),
  personsAction('signal', {
    summary: 'Send a signal to a task, for a step that waits for it now or later',
    description:
      'A step that waits for a signal of this name takes it as its output. One that comes ' +
      'early is kept until a step waits for it, and each `key` is delivered once.',
    body: body('Signal'),
  }),
  personsAction('approve', {
    summary: 'Approve a step that waits for an approval',
    description:
      'The step succeeds with the answer as its output, and the task goes on. A rule may ' +
      'demand a certain role, or a person other than the starter.',
    body: body('Judge'),
  }),
  personsAction('reject', {
    summary: 'Reject a step that waits for an approval',
    description:
      'The step fails with the code `REJECTED`, as the flow has it for a failure. The comment ' +
      'is kept as the reason.',
    body: body('Judge'),
  }),
  RESTART,
];
