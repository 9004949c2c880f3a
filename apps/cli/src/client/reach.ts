import { type IncomingMessage, request as askPlainly } from 'node:http';
import { type Agent, request as askByTls } from 'node:https';
import { Readable } from 'node:stream';
import { socketIn } from './backstep-url.js';

/** A request as the client sends it. */
export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
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
  const { body, ...rest } = sent;
  const socketPath = socketIn(url);
  if (socketPath !== null) {
    // A connection of its own: what is kept open would keep this program waiting.
    const how = { ...rest, socketPath, path: `/${where}`, agent: false };
    return responseTo(askPlainly(how), body);
  }
  const place = new URL(where, slashed(url));
  if (agent && place.protocol === 'https:') {
    return responseTo(askByTls(place, { ...rest, agent }), body);
  }
  return fetch(place, { ...sent, redirect: 'error' });
}

/** A URL with a path keeps it: `https://host/backstep` is a folder. */
function slashed(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

/** Answers that have no body, which a `Response` insists on. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Node's `fetch` asks no sockets and shows no certificates. */
function responseTo(
  asked: ReturnType<typeof askPlainly>,
  body: string | undefined,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new TypeError('the request failed', { cause }));
    asked.once('error', fail);
    asked.once('response', (answer) => {
      if (!isRedirect(answer)) return resolve(responseOf(answer));
      answer.destroy();
      fail(new Error('unexpected redirect'));
    });
    asked.end(body);
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
