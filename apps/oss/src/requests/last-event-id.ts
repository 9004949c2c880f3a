import type { FastifyRequest } from 'fastify';
import { invalidRequest, QueryReader } from '#http-server';

/** The event after which a client wants to read on; null: from the beginning. */
export function readLastEventId(request: FastifyRequest): number | null {
  const reader = new QueryReader(request.query).expectOnly(['lastEventId']);
  const inQuery = reader.value('lastEventId', readEventId, 'the `seq` of an event');
  reader.finish();
  return lastEventIdOf(request, inQuery, 'the `seq` of an event');
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
export function readEventId(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
