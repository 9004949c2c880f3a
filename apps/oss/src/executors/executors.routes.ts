import { placeCursor, wholePageLimit } from '../requests/page.query.js';
import { RequestQuery } from '../requests/request-query.js';
import { ATTEMPTS_QUERY } from './attempts.query.js';
import { json, READS, type Routes } from '../requests/route.js';

/** The query of `GET /v1/executors`; the place of an executor is its module and its instance. */
const EXECUTORS_QUERY = new RequestQuery({
  limit: wholePageLimit('executors'),
  cursor: placeCursor(),
});

/** The requests about executors and what they run. */
export const EXECUTOR_ROUTES = {
  listExecutors: {
    at: 'GET /v1/executors',
    need: { role: 'viewer' },
    summary: 'List the executors that were seen lately',
    description:
      'Each process is listed once for each module that it serves, with its commands and ' +
      'slots. Modules and commands that flows use and no executor has stand beside each page.',
    query: EXECUTORS_QUERY,
    answers: { 200: json('One page, by module and instance', 'Executors') },
    problems: READS,
  },
  listAttempts: {
    at: 'GET /v1/attempts',
    need: { role: 'viewer' },
    summary: 'List the attempts of steps that run now, the oldest first',
    description:
      'Each is the attempt of one action of one task, with the executor that runs it. All filters ' +
      'must match. Attempts that wait, for their turn or for an answer from elsewhere, do not run.',
    query: ATTEMPTS_QUERY,
    answers: { 200: json('One page', 'Attempts') },
    problems: [...READS, 'TOO_MANY_REQUESTS'],
  },
} as const satisfies Routes;
