import type { EnvelopeWriter, Incoming, Outgoing } from './envelope.js';
import { PARKING_QUEUE } from './topology.js';

/** Why a message was parked, in words. */
const REASON_HEADER = 'x-backstep-reason';
/** The queue that it came from. */
const QUEUE_HEADER = 'x-backstep-queue';

const HEADERS_MAX = 32;
const HEADER_LENGTH_MAX = 256;
/** What AMQP calls a short string: names of headers, and texts beside them. */
const SHORT_BYTES_MAX = 255;
/** The client writes larger numbers as whole ones, and fails on those that are not. */
const FRACTION_MAX = 2 ** 50;

/** The message for the parking queue: the body as it came, and why it is there. */
export function parkedMessage(incoming: Incoming, why: Parking): Outgoing {
  const { contentType, headers, messageId, type } = incoming.properties;
  const id = why.writer.nextId();
  const properties = {
    ...short({ contentType, type, correlationId: messageId }),
    // Not `messageId`: two strangers' messages may share theirs, and ours finds its way back.
    messageId: id,
    headers: { ...plain(headers), [REASON_HEADER]: why.reason, [QUEUE_HEADER]: why.queue },
    mandatory: true,
    persistent: true,
  };
  return { id, queue: PARKING_QUEUE, content: incoming.content, properties };
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
    ([name, value]) => isShort(name) && isPlain(value),
  );
  return Object.fromEntries(entries.slice(0, HEADERS_MAX));
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= HEADER_LENGTH_MAX;
  if (typeof value !== 'number') return false;
  return Number.isSafeInteger(value) || Math.abs(value) < FRACTION_MAX;
}

/** Those that are texts and short: a byte that is no UTF-8 was read as three. */
function short(texts: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).filter((entry): entry is [string, string] => isShort(entry[1])),
  );
}

function isShort(text: unknown): boolean {
  return typeof text === 'string' && Buffer.byteLength(text) <= SHORT_BYTES_MAX;
}
