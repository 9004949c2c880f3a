import type { FastifyRequest } from 'fastify';

/**
 * The header that the console's requests carry. A page of another origin may send it only where the
 * server has allowed that, and it never does: without the header a cookie counts for nothing.
 */
const CONSOLE_HEADER = 'x-backstep-console';

type Heard = Pick<FastifyRequest, 'headers' | 'protocol'>;

/** The credential of a browser that has signed in; empty: it has not, or another page asks. */
export function sessionOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  if (headers[CONSOLE_HEADER] === undefined) return '';
  const wanted = `${nameFor(headers)}=`;
  const pairs = (headers.cookie ?? '').split(';', PAIRS_MAX).map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length) ?? '';
}

/** The `Set-Cookie` header that signs a browser in until it is closed. */
export function sessionCookie(request: Heard, credential: string): string {
  return `${nameFor(request.headers)}=${credential}${attributesFor(request)}`;
}

/** The `Set-Cookie` header that signs a browser out. */
export function noSessionCookie(request: Heard): string {
  return `${sessionCookie(request, '')}; Max-Age=0`;
}

/** Cookies that are looked through: a browser keeps 180 of a host at most. */
const PAIRS_MAX = 200;

const PORT = /:(\d+)$/;

/** Browsers give the cookies of a host to all of its ports. */
function nameFor({ host = '' }: FastifyRequest['headers']): string {
  const port = PORT.exec(host)?.[1];
  return port === undefined ? 'backstep_session' : `backstep_session_${port}`;
}

function attributesFor({ headers, protocol }: Heard): string {
  const isSecure = protocol === 'https' || headers['x-forwarded-proto'] === 'https';
  return `; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}
