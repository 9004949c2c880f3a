import { LOCKS_QUERY } from './locks.query.js';
import { json, READS, type Routes } from '../requests/route.js';

/** The request about locks. */
export const LOCK_ROUTES = {
  listLocks: {
    at: 'GET /v1/locks',
    need: { role: 'viewer' },
    summary: 'List the locks that tasks hold or wait for',
    description:
      'Each lock has its holders, and the line of those that wait for it. The first in line ' +
      'is next.',
    tag: 'operations',
    query: LOCKS_QUERY,
    answers: { 200: json('One page, by name', 'Locks') },
    problems: READS,
  },
} as const satisfies Routes;
