import type { FastifyRequest } from 'fastify';
import { invalidRequest, QueryReader } from '#nest';

/** The event after which a client wants to read on; null: from the beginning. */
export function readLastEventId(request: FastifyRequest): number | null {
  const reader = new QueryReader(request.query).expectOnly(['lastEventId']);
  const inQuery = reader.value('lastEventId', readSeq, 'the `seq` of an event');
  reader.finish();
  const header = request.headers['last-event-id'];
  if (header === undefined || header === '') return inQuery ?? null;
  const seq = readSeq([header].flat().join());
  if (seq !== null) return seq;
  const message = 'The header `Last-Event-ID` must be the `seq` of an event.';
  throw invalidRequest({ pointer: '/Last-Event-ID', message });
}

function readSeq(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
