import type { FastifyRequest } from 'fastify';
import type { TaskInterest } from '../events/task-match.js';
import { lastEventId, lastEventIdOf } from './last-event-id.js';
import { FILTERS, filterOf, PARENT, searchOf } from './list-tasks.query.js';
import { RequestQuery } from './request-query.js';

/** A request `GET /v1/events`, as read. */
interface EventsRequest {
  readonly interest: TaskInterest;
  /** The last change the client has; null: none. */
  readonly after: number | null;
}

const ID = 'the `id` of an event';

/** The query of `GET /v1/events`. */
export const EVENTS_QUERY = new RequestQuery({
  ...FILTERS,
  parent: PARENT,
  lastEventId: lastEventId(ID),
});

/** Reads the query of `GET /v1/events`, and its header. */
export function readEventsRequest(request: FastifyRequest): EventsRequest {
  const { reader, values } = EVENTS_QUERY.begin(request.query);
  const interest = { filter: filterOf(values), search: searchOf(values.q, reader) };
  reader.finish();
  return { interest, after: lastEventIdOf(request, values.lastEventId, ID) };
}
