import type { FastifyRequest } from 'fastify';
import { QueryReader } from '#http-server';
import type { TaskInterest } from '../events/task-match.js';
import { lastEventIdOf, readEventId } from './last-event-id.js';
import { readInterest } from './list-tasks.query.js';

/** A request `GET /v1/events`, as read. */
interface EventsRequest {
  readonly interest: TaskInterest;
  /** The last change the client has; null: none. */
  readonly after: number | null;
}

const ID = 'the `id` of an event';

/** Reads the query of `GET /v1/events`, and its header. */
export function readEventsRequest(request: FastifyRequest): EventsRequest {
  const reader = new QueryReader(request.query);
  const inQuery = reader.value('lastEventId', readEventId, ID);
  const interest = readInterest(reader);
  reader.finish();
  return { interest, after: lastEventIdOf(request, inQuery, ID) };
}
