import type { IncomingMessage } from 'node:http';
import { invalidRequest, Problem } from './problems.js';
import { pathOf } from './send-problem.js';

/** The form of a request id that is taken over from its sender. */
const SANE_ID = /^[\w.:~-]{1,128}$/;

/** Header fields that a request may have; Node bounds their bytes, with the address (16 KiB). */
const HEADERS_MAX = 1_000;

/**
 * Headers that have one value. Of a second one nobody can say which was meant, and Node would join
 * both to a text that neither is. `Host` is judged with the origins.
 */
const SINGLE: Readonly<Record<string, string>> = {
  authorization: 'Authorization',
  'content-digest': 'Content-Digest',
  'content-type': 'Content-Type',
  'idempotency-key': 'Idempotency-Key',
  'last-event-id': 'Last-Event-ID',
  origin: 'Origin',
  'x-backstep-actor': 'X-Backstep-Actor',
  'x-backstep-challenge': 'X-Backstep-Challenge',
  'x-backstep-console': 'X-Backstep-Console',
  'x-backstep-groups': 'X-Backstep-Groups',
  'x-backstep-proxy': 'X-Backstep-Proxy',
  'x-backstep-reason': 'X-Backstep-Reason',
  'x-request-id': 'X-Request-Id',
};

const SINGLE_NAMES = Object.keys(SINGLE);

/** Headers that a proxy sets, and a client must not add to. */
const OF_PROXIES: ReadonlySet<string> = new Set([
  'x-backstep-actor',
  'x-backstep-groups',
  'x-backstep-proxy',
]);

type Head = Pick<IncomingMessage, 'headers' | 'httpVersion' | 'method' | 'rawHeaders'>;

/** Some clients escape the colon of `/v1/tasks:batch`; to the router that is another letter. */
const ESCAPED_VERB = /%3A(?=[a-z]+(?:\?|$))/i;

/** Letters, digits and the like that are written as escapes, though they mean the same without. */
const NEEDLESS_ESCAPE = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** A parameter in the router's writing, with the rule for its letters. */
const PARAMETER = /^:\w+(?:\([^)]*\))?/;

/**
 * The problem that something in the head of a request would go unheard: a header beyond those that
 * are looked at, or a second value. Null: there is nothing of the kind.
 */
export function headFault(head: Head): Problem | null {
  const { headers, httpVersion, rawHeaders } = head;
  const count = rawHeaders.length / 2;
  if (count > HEADERS_MAX) {
    const detail = `The request has ${count} header fields; at most ${HEADERS_MAX} are taken.`;
    return new Problem('HEADERS_TOO_LARGE', detail, { headers: { connection: 'close' } });
  }
  if (headers.host === undefined && httpVersion !== '1.0') {
    return invalidRequest({ pointer: '/Host', message: 'The header `Host` is missing.' });
  }
  const repeated = SINGLE_NAMES.find((name) => isRepeated(name, head));
  return repeated === undefined ? null : twice(repeated);
}

/** Whether a request brings a body by a method for which none is read. */
export function hasUnreadBody({ headers, method }: Pick<Head, 'headers' | 'method'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && +length !== 0);
}

/** The problem that headers came after the body, where nothing looks for any; null: none did. */
export function trailerFault({
  rawTrailers = [],
}: Partial<Pick<IncomingMessage, 'rawTrailers'>>): Problem | null {
  const [first] = rawTrailers;
  if (first === undefined) return null;
  const message = 'Header fields after the body (trailers) are not taken.';
  const hint = 'Send it before the body.';
  return invalidRequest({ pointer: `/${first.slice(0, 60)}`, message, hint });
}

/** Node joins equal headers by a comma, so one without a comma stood there once. */
function isRepeated(name: string, { headers, rawHeaders }: Head): boolean {
  const value = headers[name];
  if (value === undefined || (typeof value === 'string' && !value.includes(','))) return false;
  const found = rawHeaders.filter((text, n) => n % 2 === 0 && text.toLowerCase() === name);
  return found.length > 1;
}

function twice(name: string): Problem {
  const readable = SINGLE[name] ?? name;
  const message = `There is more than one \`${readable}\` header.`;
  const hint = 'A proxy must not pass on the one of its client.';
  return invalidRequest({
    pointer: `/${readable}`,
    message,
    ...(OF_PROXIES.has(name) && { hint }),
  });
}

/**
 * Makes the function that gives each request its id: the sender's where it is sane, else a new one.
 */
export function requestIds(prefix: string): (request: Pick<IncomingMessage, 'headers'>) => string {
  let count = 0;
  return (request) => {
    const given = request.headers['x-request-id'];
    if (typeof given === 'string' && SANE_ID.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** Addresses by names that may have slashes: those of workers, `host/pid/random`. */
const NAMED = '/v1/workers/';

/**
 * The target of a request in its plain spelling; what stands in its query stays as it is. Slashes
 * of a name need no escapes: few who write an address by hand think of them.
 */
export function plainTarget(url: string): string {
  const isNamed = url.startsWith(NAMED);
  if (!isNamed && !url.includes('%')) return url;
  const path = pathOf(url);
  const query = url.slice(path.length);
  const plain = path.replaceAll(NEEDLESS_ESCAPE, decodeURIComponent).replace(ESCAPED_VERB, ':');
  if (!isNamed) return plain + query;
  return NAMED + plain.slice(NAMED.length).replaceAll('/', '%2F') + query;
}

/**
 * Whether a target, as it was sent, spells a word of its route in escapes, or a part that is `.` or
 * `..`. The rules of a proxy before this process may know the plain words only. In what stands for
 * a parameter, such as the `~` in the id of a run, any spelling will do.
 */
export function hidesWords(target: string, route: string | undefined): boolean {
  const path = pathOf(target);
  if (!path.includes('%') || path.search(NEEDLESS_ESCAPE) === -1) return false;
  const words = (route ?? '').split('/');
  const isFile = words.at(-1) === '*';
  return path.split('/').some((part, n) => {
    if (part.search(NEEDLESS_ESCAPE) === -1) return false;
    const plain = part.replaceAll(NEEDLESS_ESCAPE, decodeURIComponent);
    if (/^\.{1,2}$/.test(plain)) return true;
    if (isFile && n >= words.length - 1) return false;
    return !isParameter(part, words[n] ?? '');
  });
}

/** Whether all escapes of a part stand for a parameter; a verb may follow it. */
function isParameter(part: string, word: string): boolean {
  const rule = PARAMETER.exec(word)?.[0];
  if (rule === undefined) return false;
  const verb = word.slice(rule.length).replaceAll('::', ':');
  return verb === '' || part.replace(ESCAPED_VERB, ':').endsWith(verb);
}
