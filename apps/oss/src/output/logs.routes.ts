import { ref } from '../docs/schema-parts.js';
import { READS, type Routes } from '../requests/route.js';
import { LOGS_QUERY } from './logs.query.js';

/** The requests about what attempts wrote. */
export const LOG_ROUTES = {
  listLogs: {
    at: 'GET /v1/tasks/{taskId}/logs',
    need: { role: 'viewer' },
    summary: 'What the attempts of a task wrote, as a list or live',
    description:
      'Of each attempt the newest 64 KiB are kept, without the secrets that it was given. The ' +
      'lines of an attempt are in order, and `line` numbers them from 1; `dropped` counts those ' +
      'that were cut. With `Accept: text/event-stream` they come live as server-sent events ' +
      'until the task has ended, from after `Last-Event-ID`.',
    parameters: ['taskId', 'knownLine'],
    query: LOGS_QUERY,
    answers: {
      200: {
        // Generators take two forms of one answer for a choice that the program has to make.
        description:
          'One page; with `Accept: text/event-stream` a stream until the task has ended: `event` ' +
          'line with `id` and a line as `data`, and `event` progress with the progress of a ' +
          'running attempt',
        content: { 'application/json': ref('LogLines') },
      },
      204: { description: 'The task has ended and the client has every line' },
    },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE', 'TOO_MANY_REQUESTS'],
  },
} as const satisfies Routes;
