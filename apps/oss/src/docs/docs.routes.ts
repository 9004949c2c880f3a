import { RequestQuery } from '../requests/request-query.js';
import { type Answer, json, NOT_MODIFIED, type Routes } from '../requests/route.js';

/** Links to pages may have parameters of elsewhere. */
const ANYTHING = new RequestQuery({}, true);

function page(description: string): Answer {
  return { description, content: { 'text/html': { type: 'string' } } };
}

/** The answers of a page that is not sent to whom has it. */
const TAGGED_PAGE = { 200: { ...page('A page'), headers: ['ETag'] }, 304: NOT_MODIFIED };

/** The requests that every process answers. */
export const PROBE_ROUTES = {
  live: {
    at: 'GET /livez',
    need: { role: 'none' },
    summary: 'Whether the process runs',
    description:
      'Answers as long as the process takes requests. It asks neither store nor broker, so a ' +
      'supervisor restarts the process by it and by nothing else.',
    answers: { 200: json('It does', 'Live') },
  },
  ready: {
    at: 'GET /readyz',
    need: { role: 'none' },
    summary: 'Whether the process can do its work; if not, what is missing',
    description:
      'Looks at the store, the broker and all else that the process needs, and names each ' +
      'with its state. A balancer should send no requests to a process that answers 503.',
    answers: { 200: json('It can', 'Readiness'), 503: json('It cannot', 'Readiness') },
  },
  metrics: {
    at: 'GET /metrics',
    need: { role: 'viewer', about: 'all' },
    summary: 'Metrics, in the text format of Prometheus',
    description:
      'Counters and gauges of this process and of all tasks, each with its help text. The ' +
      'answer comes within seconds, also while the store is away.',
    answers: { 200: { description: 'Text', content: { 'text/plain': { type: 'string' } } } },
  },
} as const satisfies Routes;

/** The requests about the documentation. */
export const DOCUMENT_ROUTES = {
  openapi: {
    at: 'GET /openapi.json',
    need: { role: 'any' },
    summary: 'This document',
    description:
      'Describes every request of this gateway, as it asks for credentials now. Generators of ' +
      'clients take it as it is.',
    parameters: ['knownAnswer'],
    query: ANYTHING,
    answers: { 200: json('The document', 'OpenApi', ['ETag']), 304: NOT_MODIFIED },
  },
  docs: {
    at: 'GET /docs',
    need: { role: 'any' },
    summary: 'This document as a page, with requests to try',
    description:
      'Lists all requests with their parameters, bodies and answers. A form at each sends it ' +
      'to this server, with a key that the page does not keep.',
    parameters: ['knownAnswer'],
    query: ANYTHING,
    isPage: true,
    answers: TAGGED_PAGE,
  },
  errors: {
    at: 'GET /docs/errors',
    need: { role: 'any' },
    summary: 'What each error code means',
    description:
      'Lists every code of a problem with its status and its remedy. The `type` of a problem ' +
      'leads to its entry.',
    parameters: ['knownAnswer'],
    query: ANYTHING,
    isPage: true,
    answers: TAGGED_PAGE,
  },
  findings: {
    at: 'GET /docs/findings',
    need: { role: 'any' },
    summary: 'What each finding in a flow means, with an example and its fix',
    description:
      'Lists every code of a mistake or a warning in flow files. Each has a wrong flow and ' +
      'the same flow mended.',
    parameters: ['knownAnswer'],
    query: ANYTHING,
    isPage: true,
    answers: TAGGED_PAGE,
  },
  guide: {
    at: 'GET /docs/{page}',
    need: { role: 'any' },
    summary: 'A page of the documentation; `contents` leads to all of them',
    description: 'Shows a page of the manual of this version. Links in it lead to the other pages.',
    parameters: ['page', 'knownAnswer'],
    query: ANYTHING,
    isPage: true,
    answers: TAGGED_PAGE,
    problems: ['NOT_FOUND'],
  },
  decision: {
    at: 'GET /docs/adr/{page}',
    need: { role: 'any' },
    summary: 'The record of a decision about the design',
    description:
      'Says what was decided about one question, and why. Pages of the documentation refer to ' +
      'these records.',
    parameters: ['page', 'knownAnswer'],
    query: ANYTHING,
    isPage: true,
    answers: TAGGED_PAGE,
    problems: ['NOT_FOUND'],
  },
  index: {
    at: 'GET /',
    need: { role: 'none' },
    summary: 'Links to the pages and documents of the gateway',
    description:
      'Sends browsers on to the console where it is served. Otherwise it lists the addresses ' +
      'that people open first.',
    query: ANYTHING,
    isPage: true,
    answers: {
      200: page('A page'),
      302: { description: 'To the console, if it is served', headers: ['Location'] },
    },
  },
} as const satisfies Routes;
