import type { EnvelopeWriter, Incoming, Outgoing } from './envelope.js';
import { PARKING_QUEUE } from './topology.js';

/** Why a message was parked, in words. */
const REASON_HEADER = 'x-backstep-reason';
/** The queue that it came from. */
const QUEUE_HEADER = 'x-backstep-queue';

/** The message for the parking queue: the body as it came, and why it is there. */
export function parkedMessage(incoming: Incoming, why: Parking): Outgoing {
  const { contentType, headers, messageId, type } = incoming.properties;
  const id = why.writer.nextId();
  const properties = {
    contentType,
    // Not `messageId`: two strangers' messages may share theirs, and ours finds its way back.
    messageId: id,
    headers: { ...plain(headers), [REASON_HEADER]: why.reason, [QUEUE_HEADER]: why.queue },
    mandatory: true,
    persistent: true,
    type,
  };
  const known = typeof messageId === 'string' ? { correlationId: messageId } : {};
  return {
    id,
    queue: PARKING_QUEUE,
    content: incoming.content,
    properties: { ...properties, ...known },
  };
}

/** What is to be known about a message that is parked. */
export interface Parking {
  readonly queue: string;
  readonly reason: string;
  readonly writer: EnvelopeWriter;
}

/** Short texts and numbers only: a stranger's tables could be too large to be written again. */
function plain(headers: Record<string, unknown> | undefined): Record<string, unknown> {
  const entries = Object.entries(headers ?? {}).filter(
    ([, value]) => (typeof value === 'string' && value.length <= 256) || typeof value === 'number',
  );
  return Object.fromEntries(entries.slice(0, 32));
}
