import { webcrypto } from 'node:crypto';
import type { EnvelopeWriter, Incoming, Outgoing } from './envelope.js';
import { PARKING_QUEUE } from './topology.js';

/** Why a message was parked, in words. */
const REASON_HEADER = 'x-backstep-reason';
/** The queue that it came from. */
const QUEUE_HEADER = 'x-backstep-queue';

/** Bytes of the body, where the parking queue has only the beginning of it. */
const LENGTH_HEADER = 'x-backstep-length';
/** SHA-256 of the body, in hexadecimal digits, where the parking queue has only its beginning. */
const DIGEST_HEADER = 'x-backstep-sha256';

/** Bytes that let people see whose message it was; longer bodies are cut to this number. */
const BODY_MAX = 64 * 1_024;

const HEADERS_MAX = 32;
const HEADER_LENGTH_MAX = 256;
/** Bytes of a short string of AMQP: names of headers, and texts beside them. */
const SHORT_BYTES_MAX = 255;
/** The client writes larger numbers as whole ones, and fails on those that are not. */
const FRACTION_MAX = 2 ** 50;

/** SHA-256 of a body that is parked only in part, worked out beside the loop; null: it is whole. */
export async function digestOf(content: Buffer): Promise<string | null> {
  if (content.length <= BODY_MAX) return null;
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', content)).toString('hex');
}

/**
 * The message for the parking queue: the body as it came, or the beginning of it, and why it is
 * there.
 */
export function parkedMessage(incoming: Incoming, why: Parking): Outgoing {
  const { content } = incoming;
  const isWhole = content.length <= BODY_MAX;
  const cut = { [LENGTH_HEADER]: content.length, [DIGEST_HEADER]: why.digest };
  const { contentType, headers, messageId, type } = incoming.properties;
  const id = why.writer.nextId();
  const properties = {
    ...short({ contentType, type, correlationId: messageId }),
    // Not `messageId`: two strangers' messages may share theirs, and ours finds its way back.
    messageId: id,
    headers: {
      ...plain(headers),
      [REASON_HEADER]: why.reason,
      [QUEUE_HEADER]: why.queue,
      ...(!isWhole && cut),
    },
    mandatory: true,
    persistent: true,
  };
  // A copy: a view of the beginning would keep all of it in memory.
  const kept = isWhole ? content : Buffer.from(content.subarray(0, BODY_MAX));
  return { id, queue: PARKING_QUEUE, content: kept, properties };
}

/** Facts about a message that is parked. */
interface Parking {
  readonly queue: string;
  readonly reason: string;
  /** See `digestOf`. */
  readonly digest: string | null;
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
