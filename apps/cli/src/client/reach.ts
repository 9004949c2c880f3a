import { lookup } from 'node:dns';
import { type IncomingMessage, type RequestOptions, request as askPlainly } from 'node:http';
import { type Agent, request as askByTls } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { socketIn } from './backstep-url.js';

/** The connection and the address for which a request is signed. */
export interface Connected {
  /** The other end; undefined: a socket. */
  readonly address: string | undefined;
  readonly port: number | undefined;
  /** Path and query as they are sent. */
  readonly target: string;
}

/** A request as the client sends it. */
export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Further headers, once there is a connection; throws where nothing may be sent over it. */
  readonly sign?: (connected: Connected) => Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** The listener that is asked: its URL, and the connections that show a certificate to it. */
interface Reached {
  readonly url: string;
  /** Null or absent: no certificate is shown. */
  readonly agent?: Agent | null | undefined;
}

/**
 * Sends a request to what listens at a URL, and resolves to its answer once that begins. Redirects
 * are not followed. Rejects where nobody answers, with the reason as the `cause`.
 */
export function reach({ agent, url }: Reached, where: string, sent: Sent): Promise<Response> {
  const { headers, method, signal } = sent;
  const how = { headers, method, signal };
  const socketPath = socketIn(url);
  if (socketPath !== null) {
    // A connection of its own: what is kept open would keep this program waiting.
    return responseTo(askPlainly({ ...how, socketPath, path: `/${where}`, agent: false }), sent);
  }
  const place = new URL(where, slashed(url));
  const at: RequestOptions = place.hostname === 'localhost' ? { ...how, lookup: loopback } : how;
  if (place.protocol !== 'https:') return responseTo(askPlainly(place, at), sent);
  return responseTo(askByTls(place, agent ? { ...at, agent } : at), sent);
}

/**
 * The addresses of `localhost`, the one on which Backstep listens by default first: on the other
 * one another user may listen. A certificate is checked for `localhost` all the same.
 */
const loopback: LookupFunction = (host, options, done) =>
  lookup(host, { ...options, verbatim: undefined, order: 'ipv4first' }, done as never);

/** A URL with a path keeps it: `https://host/backstep` is a folder. */
function slashed(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

/** Answers that have no body, which a `Response` insists on. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

type Asked = ReturnType<typeof askPlainly>;

/** Not by `fetch`: that asks no sockets, shows no certificates, and tells of no connections. */
function responseTo(asked: Asked, sent: Sent): Promise<Response> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new TypeError('the request failed', { cause }));
    asked.once('error', fail);
    asked.once('response', (answer) => {
      if (!isRedirect(answer)) return resolve(responseOf(answer));
      answer.destroy();
      fail(new Error('unexpected redirect'));
    });
    sendSigned(asked, sent);
  });
}

function sendSigned(asked: Asked, { body, sign }: Sent): void {
  if (sign === undefined) return void asked.end(body);
  whenConnected(asked, ({ remoteAddress: address, remotePort: port }) => {
    try {
      const signed = sign({ address, port, target: asked.path });
      for (const [name, value] of Object.entries(signed)) asked.setHeader(name, value);
      asked.end(body);
    } catch (error) {
      asked.destroy(error as Error);
    }
  });
}

function whenConnected(asked: Asked, act: (socket: Socket) => void): void {
  asked.once('socket', (socket) => {
    if (asked.reusedSocket) return act(socket);
    socket.once(asked.protocol === 'https:' ? 'secureConnect' : 'connect', () => act(socket));
  });
}

function isRedirect({ statusCode: status = 0 }: IncomingMessage): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

function responseOf(answer: IncomingMessage): Response {
  const { headers, statusCode: status = 500 } = answer;
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    [value ?? []].flat().map((one) => [name, one]),
  );
  const content = BODILESS.has(status) ? null : (Readable.toWeb(answer) as ReadableStream);
  if (content === null) answer.resume();
  return new Response(content, { status, headers: pairs });
}
