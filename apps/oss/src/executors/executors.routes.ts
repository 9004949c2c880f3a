import { json, READS, type Routes } from '../requests/route.js';

/** The request about executors. */
export const EXECUTOR_ROUTES = {
  listExecutors: {
    at: 'GET /v1/executors',
    need: { role: 'viewer' },
    summary: 'List the executors that were seen lately',
    description:
      'Each process is listed once for each module that it serves, with its commands and ' +
      'slots. Modules and commands that flows use and no executor has stand beside them.',
    tag: 'operations',
    answers: { 200: json('All of them, by module', 'Executors') },
    problems: READS,
  },
} as const satisfies Routes;
