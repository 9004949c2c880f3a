import { placeCursor, wholePageLimit } from '../requests/page.query.js';
import { RequestQuery } from '../requests/request-query.js';
import { json, READS, type Routes } from '../requests/route.js';

/** The query of `GET /v1/locks`; the place of a lock is its name. */
const LOCKS_QUERY = new RequestQuery({ limit: wholePageLimit('locks'), cursor: placeCursor() });

/** The request about locks. */
export const LOCK_ROUTES = {
  listLocks: {
    at: 'GET /v1/locks',
    need: { role: 'viewer' },
    summary: 'List the locks that tasks hold or wait for',
    description:
      'Each lock has its holders, and the line of those that wait for it. The first in line ' +
      'is next.',
    query: LOCKS_QUERY,
    answers: { 200: json('One page, by name', 'Locks') },
    problems: READS,
  },
} as const satisfies Routes;
