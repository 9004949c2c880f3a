import { DURATION_PATTERN, readDuration } from '#wording';
import { ref } from '../docs/schema-parts.js';
import { batchReader } from '../requests/batch.request.js';
import { createTaskReader } from '../requests/create-task.request.js';
import { EVENTS_QUERY, TASK_EVENTS_QUERY } from '../requests/events.query.js';
import { WAIT_MAX_MS } from '../requests/limits.js';
import { LIST_QUERY } from '../requests/list-tasks.query.js';
import { parameter, RequestQuery } from '../requests/request-query.js';
import {
  type Answer,
  body,
  json,
  KEEPS_SECRETS,
  READS,
  type Routes,
  STARTS_TASK,
  TAKES_BODY,
  WRITES,
} from '../requests/route.js';

/** A batch may be this many times as large as a request for one task. */
const BATCH_FACTOR = 16;

/** The query of requests that may wait for their task. */
export const WAIT_QUERY = new RequestQuery({
  wait: parameter(
    `Answer when the task stops moving, or after this time: at most ${WAIT_MAX_MS}ms.`,
    {
      schema: { type: 'string', pattern: DURATION_PATTERN },
      expected: `a time like 500ms, 30s or 5m, at most ${WAIT_MAX_MS / 60_000}m`,
      read: readWaitTime,
    },
  ),
});

/** A task as its creator is answered, who may have waited for it. */
function created(what: string, headers: readonly string[]): Answer {
  const description = `${what}; with \`wait\` the whole task and its \`ETag\``;
  return json(description, 'CreatedTask', ['Location', 'ETag', ...headers]);
}

/** The requests that create, list and show tasks. */
export const TASK_ROUTES = {
  createTask: {
    at: 'POST /v1/tasks',
    need: { role: 'starter' },
    summary: 'Create a task; answers once it is stored',
    description:
      'The task is durable before the answer leaves, and its first steps are under way. With ' +
      'an idempotency key a repetition answers with the same task, and starts no second one.',
    parameters: ['Idempotency-Key', 'X-Backstep-Actor', 'traceparent'],
    query: WAIT_QUERY,
    body: body('CreateTask', createTaskReader),
    answers: {
      200: created('The task that an equal request created before', ['Idempotent-Replayed']),
      201: created('The task', []),
    },
    problems: [...WRITES, ...KEEPS_SECRETS, 'FLOW_NOT_FOUND', ...STARTS_TASK],
  },
  createTasks: {
    at: 'POST /v1/tasks:batch',
    need: { role: 'starter' },
    summary: 'Create up to 1,000 tasks; each entry gets its own answer',
    description:
      'Each entry is checked and stored by itself, so a bad one harms no other. The results ' +
      'have the order of the entries, each with a status as the request alone would have had.',
    actsAgain: true,
    parameters: ['X-Backstep-Actor', 'traceparent'],
    body: body('Batch', batchReader, { factor: BATCH_FACTOR }),
    answers: { 200: json('The result of each entry, in order', 'BatchResults') },
    problems: [...TAKES_BODY],
  },
  listTasks: {
    at: 'GET /v1/tasks',
    need: { role: 'viewer' },
    summary: 'List tasks by when they were created: summaries, or whole tasks with `full=true`',
    description:
      'Pages stay stable while tasks are created: none is shown twice or left out. All ' +
      'filters must match, and `q` has the same grammar as the command line and the console.',
    query: LIST_QUERY,
    answers: { 200: json('One page', 'TaskPage') },
    problems: [...READS, 'TOO_MANY_REQUESTS'],
  },
  getTask: {
    at: 'GET /v1/tasks/{taskId}',
    need: { role: 'viewer' },
    summary: 'The whole task',
    description:
      'Shows steps, parameters, errors and all that has become of them. Its `ETag` is the ' +
      'revision, by which `If-Match` of an action refuses to act on a newer one.',
    parameters: ['taskId', 'If-None-Match'],
    answers: {
      200: json('The whole task', 'Task', ['ETag']),
      304: { description: 'The client has this revision', headers: ['ETag'] },
    },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE'],
  },
  getGraph: {
    at: 'GET /v1/tasks/{taskId}/graph',
    need: { role: 'viewer' },
    summary: 'The steps of a task as nodes and edges',
    description:
      'Has each step that the task has made so far, with the scope that it stands in, and ' +
      'whether the task went along an edge. Cases that were not chosen are absent, and child ' +
      'tasks are counted at their step.',
    parameters: ['taskId', 'If-None-Match'],
    answers: {
      200: json('Nodes and edges', 'TaskGraph', ['ETag']),
      304: { description: 'The client has this revision', headers: ['ETag'] },
    },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE'],
  },
  listEvents: {
    at: 'GET /v1/tasks/{taskId}/events',
    need: { role: 'viewer' },
    summary: 'The journal of a task, as a list or live',
    description:
      'The events are in order, and `seq` numbers them from 1. With `Accept: ' +
      'text/event-stream` they come live as server-sent events, from after `Last-Event-ID` ' +
      'until the task has ended.',
    parameters: ['taskId', 'Last-Event-ID'],
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
  listChanges: {
    at: 'GET /v1/events',
    need: { role: 'viewer' },
    summary: 'Summaries of changed tasks: live, or a page after the last event',
    description:
      'Each entry is the summary of a task as it is now, once for all its changes since the ' +
      'last one. With `Accept: text/event-stream` they come live, and a client that ' +
      'reconnects with `Last-Event-ID` misses none.',
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
} as const satisfies Routes;

function readWaitTime(text: string): number | null {
  const ms = readDuration(text);
  return ms === null || ms > WAIT_MAX_MS ? null : ms;
}
