import type { FastifyRequest } from 'fastify';
import { invalidRequest } from '#http-server';
import { parameter, RequestQuery, wholeRule } from './request-query.js';

const SEQ = 'the `seq` of an event';

/** The event after which to read on; `expected` is how a wrong one is refused. */
export function lastEventId(expected: string) {
  return parameter('Read on after this event.', wholeRule(0, 999_999_999_999_999, expected));
}

/** The query of `GET /v1/tasks/{taskId}/events`. */
export const TASK_EVENTS_QUERY = new RequestQuery({ lastEventId: lastEventId(SEQ) });

/** The event after which a client wants to read on; null: from the beginning. */
export function readLastEventId(request: FastifyRequest): number | null {
  const inQuery = TASK_EVENTS_QUERY.read(request.query).lastEventId;
  return lastEventIdOf(request, inQuery, SEQ);
}

/** The header, or what the query says instead; `what` it must be is told of a wrong one. */
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
