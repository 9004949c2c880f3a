import { hash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type InputType,
} from 'node:zlib';
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';

/** Answers that are one JSON text; texts of flows (`application/jsonc`) are sent as written. */
const JSON_TYPE = /^application\/json(?:;|$)/;

/**
 * Ends an answer in JSON with a newline: in a terminal the prompt begins on a line of its own.
 * Problems bring theirs along, as some are answered before there are hooks.
 */
export const endLine: onSendHookHandler = (...[, reply, payload, done]) => {
  const isJson = typeof payload === 'string' && JSON_TYPE.test(typeOf(reply));
  done(null, isJson ? `${payload}\n` : payload);
};

/** Answers of fewer bytes are sent as they are: they fit into a packet or two. */
const COMPRESSED_MIN = 2_048;

/** Ways to compress, the smallest first. */
type Encoding = 'br' | 'gzip';

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Texts. Events are not among them: each is to be seen at once. */
const COMPRESSIBLE =
  /^(?:application\/(?:[a-z.]+\+)?json[c]?|text\/(?:plain|html|css|javascript)|image\/svg\+xml|application\/openmetrics-text)(?:;|$)/;

/** The encodings that a client takes, by its `Accept-Encoding`. */
export function acceptedEncodings(header = ''): ReadonlySet<string> {
  const entries = header.split(',').map((part) => part.trim().toLowerCase());
  const wanted = entries.filter((entry) => !/;\s*q=0(\.0*)?$/.test(entry));
  return new Set(wanted.map((entry) => entry.split(';')[0]?.trim() ?? ''));
}

/** Whether `If-None-Match` names the tag, of whatever strength. */
export function knowsTag({ headers }: Pick<FastifyRequest, 'headers'>, tag: string): boolean {
  const header = headers['if-none-match'];
  if (header === undefined) return false;
  const plain = tag.replace(/^W\//, '');
  const tags = header.split(',').map((part) => part.trim().replace(/^W\//, ''));
  return tags.includes(plain) || tags.includes('*');
}

/** Says that an answer would be another one for another header of the request. */
export function varyBy(reply: FastifyReply, header: string): void {
  const given = reply.getHeader('vary');
  reply.header('vary', given === undefined ? header : `${String(given)}, ${header}`);
}

/**
 * Answers 304 without a body where the client has what it asks for, on a route with the option
 * `isTagged`: by the `ETag` that the route gives, else by one of the bytes of the answer. Other
 * routes have tags for `If-Match`, which stay the same while the answer changes.
 */
export const spareKnown: onSendHookHandler = (request, ...[reply, payload, done]) => {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || reply.statusCode !== 200 || payload instanceof Readable) {
    return done(null, payload);
  }
  const tag = tagFor(request, reply, payload);
  if (tag === null || !knowsTag(request, tag)) return done(null, payload);
  reply.code(304).removeHeader('content-type');
  reply.removeHeader('content-length').removeHeader('content-encoding');
  // Not even an empty text, which would have a length; what answers HEAD wants one.
  done(null, request.method === 'HEAD' ? '' : null);
};

/** Compresses what a client takes compressed, away from the thread that answers. */
export const compressAnswer: onSendHookHandler = (request, ...[reply, payload, done]) => {
  const encoding = encodingFor(request, reply, payload);
  if (encoding === null) return done(null, payload);
  reply.header('content-encoding', encoding).removeHeader('content-length');
  if (payload instanceof Readable) {
    const packer = encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip();
    // Either end breaks the other one off, and Fastify looks at the packer.
    return done(
      null,
      pipeline(payload, packer, () => {}),
    );
  }
  if (encoding === 'br') brotliCompress(payload as InputType, BROTLI, done);
  else gzip(payload as InputType, done);
};

interface Wishes {
  readonly isTagged?: boolean;
}

/** The tag is weak: the same answer has other bytes where it is compressed. */
function tagFor({ routeOptions }: FastifyRequest, reply: FastifyReply, body: unknown) {
  const { isTagged = false } = (routeOptions.config ?? {}) as Wishes;
  if (!isTagged) return null;
  const given = reply.getHeader('etag');
  if (typeof given === 'string') return given;
  if (typeof body !== 'string') return null;
  const tag = `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
  reply.header('etag', tag);
  return tag;
}

function encodingFor(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Encoding | null {
  const { 'accept-encoding': accepted } = headers;
  if (accepted === undefined || sizeOf(payload) < COMPRESSED_MIN) return null;
  if (reply.getHeader('content-encoding') !== undefined) return null;
  const type = reply.getHeader('content-type');
  if (typeof type !== 'string' || !COMPRESSIBLE.test(type)) return null;
  const taken = acceptedEncodings(accepted);
  if (taken.has('br')) return 'br';
  return taken.has('gzip') || taken.has('*') ? 'gzip' : null;
}

/** In characters of a text, which is near enough; nobody knows how much a stream will have. */
function sizeOf(payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length;
  return payload instanceof Readable ? Infinity : 0;
}

function typeOf(reply: Parameters<onSendHookHandler>[1]): string {
  const type = reply.getHeader('content-type');
  return typeof type === 'string' ? type : '';
}
