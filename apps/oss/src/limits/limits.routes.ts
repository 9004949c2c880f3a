import { placeCursor, wholePageLimit } from '../requests/page.query.js';
import { RequestQuery } from '../requests/request-query.js';
import { body, json, READS, type Routes, WRITES } from '../requests/route.js';
import { limitsReader } from './limits.request.js';

/** The requests about the limits of modules. */
export const LIMIT_ROUTES = {
  listLimits: {
    at: 'GET /v1/limits',
    need: { role: 'viewer' },
    summary: 'List the modules with limits',
    description:
      'Each has its limits, how many of its actions count against them now, and how many wait. ' +
      'They hold over all processes and workers together.',
    // The place of limits is the name of their module.
    query: new RequestQuery({ limit: wholePageLimit('modules'), cursor: placeCursor() }),
    answers: { 200: json('One page, by module', 'ModuleLimitsPage') },
    problems: READS,
  },
  putLimits: {
    at: 'PUT /v1/limits/{module}',
    need: { role: 'operator' },
    summary: 'Set the limits of a module in the place of earlier ones; equal ones change nothing',
    description:
      'Every process goes by them within 10 seconds. The last tenth of `maxConcurrency`, at ' +
      'least one, is for rollbacks alone, unless it is 1. Actions that wait use up no attempt.',
    parameters: ['module', 'If-Match', 'newLimit', 'X-Backstep-Actor'],
    body: body('PutLimits', limitsReader),
    answers: { 200: json('As it is stored', 'ModuleLimits', ['ETag']) },
    problems: [...WRITES, 'REVISION_CHANGED', 'RECORD_UNREADABLE'],
  },
  removeLimits: {
    at: 'DELETE /v1/limits/{module}',
    need: { role: 'operator' },
    summary: 'Remove the limits of a module',
    description:
      'What waits for them starts within half a minute. Actions that run go on as they are.',
    parameters: ['module', 'If-Match', 'X-Backstep-Actor'],
    answers: { 204: { description: 'They are removed' } },
    problems: [...WRITES, 'NOT_FOUND', 'REVISION_CHANGED', 'RECORD_UNREADABLE'],
  },
} as const satisfies Routes;
