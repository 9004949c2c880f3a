import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { invalidRequest, Problem } from './problems.js';

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

type Asked = Pick<FastifyRequest, 'headers' | 'method'>;

/** Which names a listener may be asked by. */
export interface OriginOptions {
  /** Where it listens, as a host name or address. */
  readonly listener: string;
  /** Names besides loopback's and the listener's own: `BACKSTEP_HOSTS`. */
  readonly hosts: readonly string[];
  /** Origins whose pages may ask and read: `BACKSTEP_CORS_ORIGINS`. Default: none. */
  readonly sharedWith?: readonly string[];
  /** Whether requests must authenticate. Default: false. */
  readonly isAuthenticating?: boolean;
}

/** The parts of a request that the rules look at. */
interface Asking {
  readonly headers: {
    readonly host?: string | undefined;
    readonly origin?: string | undefined;
    readonly 'sec-fetch-site'?: string | string[] | undefined;
  };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;
const HOST = /^(?:\[([\da-f:.]+)\]|([^:[\]/?#@\s,]+))(?::(\d{1,5}))?$/i;
const ORIGIN = /^(https?):\/\/(.+)$/i;

/** Whether a host name or address is of this machine alone. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Whether a `Host` header names this machine alone. */
export function isLoopbackHost(host: string): boolean {
  return isLoopback(nameOf(host) ?? '');
}

/**
 * Keeps web pages out of a process that asks nobody who they are. A page of anywhere can send
 * requests to this machine, and a name that its owner points here (DNS rebinding) makes it read the
 * answers; but it cannot choose what the browser says in `Host`, `Origin` and `Sec-Fetch-Site`.
 */
export class OriginRules {
  private readonly listener: string;
  private readonly hosts: ReadonlySet<string>;
  private readonly sharedWith: ReadonlySet<string>;
  /**
   * Beyond loopback only the operator knows under which names people come. Where requests must
   * authenticate, a rebound name has no credentials: browsers keep these for one name.
   */
  private readonly anyHost: boolean;
  /**
   * Beyond loopback people also come by addresses that only a router or a container engine knows. A
   * page cannot rebind an address: it names the machine that the page came from.
   */
  private readonly anyAddress: boolean;
  /** The ones that were found good last: mostly it is the same client that asks again. */
  private goodHost: string | null = null;
  private goodPair: string | null = null;

  constructor({ hosts, isAuthenticating = false, listener, sharedWith = [] }: OriginOptions) {
    this.listener = listener.toLowerCase();
    this.hosts = new Set(hosts.map((host) => host.toLowerCase()));
    this.sharedWith = new Set(sharedWith.map((origin) => origin.toLowerCase()));
    this.anyAddress = !isLoopback(this.listener);
    this.anyHost = this.anyAddress && isAuthenticating && hosts.length === 0;
  }

  /**
   * Why a request is not answered; null: it may come in. A visit is a person's browser that opens a
   * page by itself, wherever the link to it stood: what it gets, no other page can read.
   */
  refusal({ headers }: Asking, isVisit = false): Problem | null {
    const { host = '', origin } = headers;
    if (host !== this.goodHost) {
      const refusal = this.judgeHost(host);
      if (refusal !== null) return refusal;
      this.goodHost = host;
    }
    if (this.isShared(origin)) return null;
    if (origin !== undefined) {
      const refusal = this.judgeOrigin(origin, host);
      if (refusal !== null) return refusal;
    }
    const site = headers['sec-fetch-site'];
    if (site === undefined || site === 'same-origin' || site === 'none') return null;
    return isVisit && origin === undefined ? null : foreign('a page of another site');
  }

  /** Whether pages of this origin may ask, though they are of another site. */
  isShared(origin: string | undefined): origin is string {
    if (origin === undefined || this.sharedWith.size === 0) return false;
    return this.sharedWith.has(origin.toLowerCase());
  }

  private judgeHost(host: string): Problem | null {
    if (host.includes(',')) {
      const message = 'There is more than one `Host` header.';
      return invalidRequest({ pointer: '/Host', message });
    }
    if (this.anyHost) return null;
    const name = nameOf(host);
    if (name !== null && (this.isOurs(name) || (this.anyAddress && isIP(name) > 0))) return null;
    const detail = `Nothing is served under the host ${JSON.stringify(host.slice(0, 100))}.`;
    return new Problem('WRONG_HOST', detail);
  }

  private judgeOrigin(origin: string, host: string): Problem | null {
    const pair = `${origin} ${host}`;
    if (pair === this.goodPair) return null;
    if (!this.isSame(origin, host)) return foreign(origin.slice(0, 100));
    this.goodPair = pair;
    return null;
  }

  private isSame(origin: string, host: string): boolean {
    const [, scheme = '', rest = ''] = ORIGIN.exec(origin) ?? [];
    const name = nameOf(rest);
    if (name === null) return false;
    const standard = scheme.toLowerCase() === 'https' ? '443' : '80';
    const isSamePort = (portOf(rest) ?? standard) === (portOf(host) ?? standard);
    if (name === nameOf(host)) return isSamePort;
    if (isSamePort) return this.isOurs(name);
    // A proxy may ask by another name than the browser does. Another port is another program.
    return this.hosts.has(name) && !LOOPBACK.test(name);
  }

  private isOurs(name: string): boolean {
    return LOOPBACK.test(name) || name === this.listener || this.hosts.has(name);
  }
}

/** The name or address in a `Host` header, without brackets; null: it is none. */
function nameOf(host: string): string | null {
  const [, address, name] = HOST.exec(host) ?? [];
  return (address ?? name)?.toLowerCase() ?? null;
}

function portOf(host: string): string | undefined {
  return HOST.exec(host)?.[3];
}

function foreign(what: string): Problem {
  return new Problem('FOREIGN_ORIGIN', `It comes from ${what}, which may not ask here.`);
}

/** Whether a browser asks what a page of another origin may send. */
export function isPreflight({ headers, method }: Asked): boolean {
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
