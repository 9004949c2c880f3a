import type { FastifyRequest } from 'fastify';
import { invalidRequest } from '#http-server';
import type { TaskInterest } from '../events/task-match.js';
import { expectSummaries, filterOf, FILTERS, PARENT, searchOf } from './list-tasks.query.js';
import { parameter, RequestQuery, wholeRule } from './request-query.js';

/** How an id of an event that does not fit is refused: it must be that. */
export const CHANGE_ID = 'the `id` of an event';

/** The query of `GET /v1/events`. */
export const EVENTS_QUERY = new RequestQuery({
  ...FILTERS,
  parent: PARENT,
  lastEventId: lastEventId(CHANGE_ID),
}).as((values, reader) => {
  const search = searchOf(values.q, reader);
  expectSummaries(search, 'Changes are told as summaries, and', reader);
  const interest: TaskInterest = { filter: filterOf(values), search };
  return { interest, lastEventId: values.lastEventId };
});

/** How the number of an event that does not fit is refused: it must be that. */
export const SEQ = 'the `seq` of an event';

/** The query of `GET /v1/tasks/{taskId}/events`. */
export const TASK_EVENTS_QUERY = new RequestQuery({ lastEventId: lastEventId(SEQ) });

/** The event after which to read on; `expected` is how a wrong one is refused. */
function lastEventId(expected: string) {
  return parameter('Read on after this event.', wholeRule(0, 999_999_999_999_999, expected));
}

/**
 * The event after which a client wants to read on, as the header says, or the query instead; null:
 * from the beginning. `what` it must be is told of a wrong one.
 */
export function lastEventIdOf(
  { headers }: FastifyRequest,
  inQuery: number | undefined,
  what: string,
): number | null {
  const header = headers['last-event-id'];
  if (header === undefined || header === '') return inQuery ?? null;
  const seq = readEventId([header].flat().join());
  if (seq !== null) return seq;
  const message = `The header \`Last-Event-ID\` must be ${what}.`;
  throw invalidRequest({ pointer: '/Last-Event-ID', message });
}

/** A whole number of at most 15 digits; null: it is none. */
function readEventId(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
