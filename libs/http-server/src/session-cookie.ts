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
export function sessionOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const { [CONSOLE_HEADER]: proof } = headers;
  if (typeof proof !== 'string') return '';
  const credential = cookieOf(headers, nameFor(headers));
  return credential.startsWith(LOCAL_SESSION_PREFIX) ? `${credential}.${proof}` : credential;
}

/** The `Set-Cookie` header that signs a browser in until it is closed. */
export function sessionCookie(request: Heard, credential: string): string {
  return `${nameFor(request.headers)}=${credential}${attributesFor(request)}`;
}

/** The `Set-Cookie` header that signs a browser out. */
export function noSessionCookie(request: Heard): string {
  return `${sessionCookie(request, '')}; Max-Age=0`;
}

/** Only the addresses that people sign in at need it. */
const TICKET_PATH = '/v1/session/oidc';

/** The ticket of a sign-in that this browser has begun; empty: there is none. */
export function ticketOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return cookieOf(headers, ticketNameFor(headers));
}

/**
 * The `Set-Cookie` header by which a browser keeps a ticket for so many seconds. `Lax`, as the page
 * that sends the browser back is another site's: `Strict` cookies do not come along then.
 */
export function ticketCookie(request: Heard, ticket: string, seconds: number): string {
  const { headers } = request;
  const attributes = `; Path=${TICKET_PATH}; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
  return `${ticketNameFor(headers)}=${ticket}${attributes}${secureFor(request)}`;
}

/** The `Set-Cookie` header by which a browser forgets its ticket. */
export function noTicketCookie(request: Heard): string {
  return ticketCookie(request, '', 0);
}

/** Cookies that are looked through: a browser keeps 180 of a host at most. */
const PAIRS_MAX = 200;

const PORT = /:(\d+)$/;

/** Browsers give the cookies of a host to all of its ports. */
function nameFor({ host = '' }: FastifyRequest['headers']): string {
  const port = PORT.exec(host)?.[1];
  return port === undefined ? 'backstep_session' : `backstep_session_${port}`;
}

function ticketNameFor(headers: FastifyRequest['headers']): string {
  return `${nameFor(headers)}_ticket`;
}

function cookieOf({ cookie = '' }: FastifyRequest['headers'], name: string): string {
  const wanted = `${name}=`;
  const pairs = cookie.split(';', PAIRS_MAX).map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length) ?? '';
}

function attributesFor(request: Heard): string {
  return `; Path=/; HttpOnly; SameSite=Strict${secureFor(request)}`;
}

function secureFor(request: Heard): string {
  return isOverTls(request) ? '; Secure' : '';
}

/** Whether the browser speaks TLS, with this process or with a proxy before it. */
export function isOverTls({ headers, protocol }: Heard): boolean {
  return protocol === 'https' || headers['x-forwarded-proto'] === 'https';
}
