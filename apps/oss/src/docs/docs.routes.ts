import { ARCHIVE_OPERATIONS } from '../archive/archive.routes.js';
import { AUDIT_OPERATIONS } from '../audit/audit.routes.js';
import { COMPLETION_OPERATIONS } from '../tasks/completions.routes.js';
import { FLOW_OPERATIONS } from '../flows/flows.routes.js';
import { OPERATION_OPERATIONS } from '../operations/operations.routes.js';
import { OUTLOOK_OPERATIONS } from '../tasks/outlook.routes.js';
import { COMMAND_OPERATIONS } from '../commands/commands.routes.js';
import { KEY_OPERATIONS } from '../keys/keys.routes.js';
import { NOTIFICATION_OPERATIONS } from '../notifications/notifications.routes.js';
import { SCHEDULE_OPERATIONS } from '../schedules/schedules.routes.js';
import { type Answer, json, NOT_MODIFIED, type Operation } from '../requests/route.js';
import { TASK_OPERATIONS } from '../tasks/tasks.routes.js';

function page(description: string): Answer {
  return { description, content: { 'text/html': { type: 'string' } } };
}

/** The answers of a page that is not sent to whom has it. */
const TAGGED_PAGE = { 200: { ...page('A page'), headers: ['ETag'] }, 304: NOT_MODIFIED };

const OTHERS: readonly Operation[] = [
  {
    route: 'GET /livez',
    id: 'live',
    summary: 'Whether the process runs',
    description:
      'Answers as long as the process takes requests. It asks neither store nor broker, so a ' +
      'supervisor restarts the process by it and by nothing else.',
    tag: 'operations',
    answers: { 200: json('It does', 'Live') },
  },
  {
    route: 'GET /readyz',
    id: 'ready',
    summary: 'Whether the process can do its work; if not, what is missing',
    description:
      'Looks at the store, the broker and all else that the process needs, and names each ' +
      'with its state. A balancer should send no requests to a process that answers 503.',
    tag: 'operations',
    answers: { 200: json('It can', 'Readiness'), 503: json('It cannot', 'Readiness') },
  },
  {
    route: 'GET /metrics',
    id: 'metrics',
    summary: 'Metrics, in the text format of Prometheus',
    description:
      'Counters and gauges of this process and of all tasks, each with its help text. The ' +
      'answer comes within seconds, also while the store is away.',
    tag: 'operations',
    answers: { 200: { description: 'Text', content: { 'text/plain': { type: 'string' } } } },
  },
  {
    route: 'GET /openapi.json',
    id: 'openapi',
    summary: 'This document',
    description:
      'Describes every request of this gateway, as it asks for credentials now. Generators of ' +
      'clients take it as it is.',
    tag: 'documents',
    parameters: ['knownAnswer'],
    answers: {
      200: json('The document', 'OpenApi', ['ETag']),
      304: NOT_MODIFIED,
    },
  },
  {
    route: 'GET /docs',
    id: 'docs',
    summary: 'This document as a page, with requests to try',
    description:
      'Lists all requests with their parameters, bodies and answers. A form at each sends it ' +
      'to this server, with a key that the page does not keep.',
    tag: 'documents',
    parameters: ['knownAnswer'],
    answers: TAGGED_PAGE,
  },
  {
    route: 'GET /docs/errors',
    id: 'errors',
    summary: 'What each error code means',
    description:
      'Lists every code of a problem with its status and its remedy. The `type` of a problem ' +
      'leads to its entry.',
    tag: 'documents',
    parameters: ['knownAnswer'],
    answers: TAGGED_PAGE,
  },
  {
    route: 'GET /docs/findings',
    id: 'findings',
    summary: 'What each finding in a flow means, with an example and its fix',
    description:
      'Lists every code of a mistake or a warning in flow files. Each has a wrong flow and ' +
      'the same flow mended.',
    tag: 'documents',
    parameters: ['knownAnswer'],
    answers: TAGGED_PAGE,
  },
  {
    route: 'GET /docs/{page}',
    id: 'guide',
    summary: 'A page of the documentation; `contents` leads to all of them',
    description: 'Shows a page of the manual of this version. Links in it lead to the other pages.',
    tag: 'documents',
    parameters: ['page', 'knownAnswer'],
    answers: TAGGED_PAGE,
    problems: ['NOT_FOUND'],
  },
  {
    route: 'GET /docs/adr/{page}',
    id: 'decision',
    summary: 'The record of a decision about the design',
    description:
      'Says what was decided about one question, and why. Pages of the documentation refer to ' +
      'these records.',
    tag: 'documents',
    parameters: ['page', 'knownAnswer'],
    answers: TAGGED_PAGE,
    problems: ['NOT_FOUND'],
  },
  {
    route: 'GET /',
    id: 'index',
    summary: 'Links to the pages and documents of the gateway',
    description:
      'Sends browsers on to the console where it is served. Otherwise it lists the addresses ' +
      'that people open first.',
    tag: 'documents',
    answers: {
      200: page('A page'),
      302: { description: 'To the console, if it is served', headers: ['Location'] },
    },
  },
];

/** Every request that the gateway answers; the routes are held equal to these. */
export const OPERATIONS: readonly Operation[] = [
  ...TASK_OPERATIONS,
  ...COMPLETION_OPERATIONS,
  ...OUTLOOK_OPERATIONS,
  ...OPERATION_OPERATIONS,
  ...FLOW_OPERATIONS,
  ...SCHEDULE_OPERATIONS,
  ...NOTIFICATION_OPERATIONS,
  ...COMMAND_OPERATIONS,
  ...KEY_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...ARCHIVE_OPERATIONS,
  ...OTHERS,
];
