import type { FastifyRequest } from 'fastify';

/** Headers of answers that pages of listed origins may read. */
const EXPOSED = [
  'Allow',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');

/**
 * Headers that pages of listed origins may send. The one that makes a cookie count is not among
 * them, nor are those of proxies.
 */
const ALLOWED = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Traceparent',
  'X-Backstep-Actor',
  'X-Backstep-Reason',
  'X-Request-Id',
].join(', ');

/** Seconds for which a browser need not ask again. */
const MAX_AGE = '600';

type Asking = Pick<FastifyRequest, 'headers' | 'method'>;

/** Whether a browser asks what a page of another origin may send. */
export function isPreflight({ headers, method }: Asking): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * The headers by which a browser lets a page of a listed origin read an answer. Credentials of the
 * browser (cookies, certificates) never come along: a page sends a key or token of its own.
 */
export function sharedHeaders(origin: string): Readonly<Record<string, string>> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED };
}

/** The headers of the answer to a preflight, for an address that takes these methods. */
export function preflightHeaders(methods: readonly string[]): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': ALLOWED,
    'access-control-max-age': MAX_AGE,
  };
}
