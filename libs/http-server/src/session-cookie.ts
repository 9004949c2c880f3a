import type { FastifyRequest } from 'fastify';
import { LOCAL_SESSION_PREFIX } from '#access';

/**
 * The header that the console's requests carry. A page of another origin may send it only where the
 * server has allowed that, and it never does: without the header a cookie counts for nothing. A
 * session by the token of a machine is in two halves, and this has the one that is in no cookie:
 * browsers give cookies to every port of a host, and another user may listen on one of them.
 */
const CONSOLE_HEADER = 'x-backstep-console';

type Heard = Pick<FastifyRequest, 'headers' | 'protocol'>;

/** The credential of a browser that has signed in; empty: it has not, or another page asks. */
export function sessionOf(request: Heard): string {
  const { [CONSOLE_HEADER]: proof } = request.headers;
  if (typeof proof !== 'string') return '';
  const credential = cookieOf(request.headers, nameFor(request));
  return credential.startsWith(LOCAL_SESSION_PREFIX) ? `${credential}.${proof}` : credential;
}

/** The `Set-Cookie` header that signs a browser in until it is closed. */
export function sessionCookie(request: Heard, credential: string): string {
  return `${nameFor(request)}=${credential}${PROTECTED}; SameSite=Strict${secureFor(request)}`;
}

/** The `Set-Cookie` header that signs a browser out. */
export function noSessionCookie(request: Heard): string {
  return `${sessionCookie(request, '')}; Max-Age=0`;
}

/** The ticket of a sign-in that this browser has begun; empty: there is none. */
export function ticketOf(request: Heard): string {
  return cookieOf(request.headers, ticketNameFor(request));
}

/**
 * The `Set-Cookie` header by which a browser keeps a ticket for a number of seconds. `Lax`, as the
 * page that sends the browser back is another site's: `Strict` cookies do not come along then.
 */
export function ticketCookie(request: Heard, ticket: string, seconds: number): string {
  const attributes = `${PROTECTED}; SameSite=Lax; Max-Age=${seconds}`;
  return `${ticketNameFor(request)}=${ticket}${attributes}${secureFor(request)}`;
}

/** The `Set-Cookie` header by which a browser forgets its ticket. */
export function noTicketCookie(request: Heard): string {
  return ticketCookie(request, '', 0);
}

/** Cookies that are looked through: a browser keeps 180 of a host at most. */
const PAIRS_MAX = 200;

/** The prefix of names over TLS wants the whole path, and no domain. */
const PROTECTED = '; Path=/; HttpOnly';

const PORT = /:(\d+)$/;

/**
 * Browsers give the cookies of a host to all of its ports. Over TLS they take a cookie of this
 * prefix from this very host alone, so that no host beside it signs a person in as another one.
 */
function nameFor(request: Heard): string {
  const port = PORT.exec(request.headers.host ?? '')?.[1];
  const prefix = isOverTls(request) ? '__Host-' : '';
  return `${prefix}backstep_session${port === undefined ? '' : `_${port}`}`;
}

function ticketNameFor(request: Heard): string {
  return `${nameFor(request)}_ticket`;
}

function cookieOf({ cookie = '' }: FastifyRequest['headers'], name: string): string {
  const wanted = `${name}=`;
  const pairs = cookie.split(';', PAIRS_MAX).map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length) ?? '';
}

function secureFor(request: Heard): string {
  return isOverTls(request) ? '; Secure' : '';
}

/** Whether the browser speaks TLS, with this process or with a proxy before it. */
export function isOverTls({ headers, protocol }: Heard): boolean {
  return protocol === 'https' || headers['x-forwarded-proto'] === 'https';
}
