import { request } from 'node:http';
import { Readable } from 'node:stream';
import { socketIn } from './backstep-url.js';

/** A request as the client sends it. */
export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * Sends a request to what listens at a URL, and resolves to its answer once that begins. Redirects
 * are not followed. Rejects where nobody answers, with the reason as the `cause`.
 */
export function reach(url: string, where: string, sent: Sent): Promise<Response> {
  const socket = socketIn(url);
  if (socket !== null) return reachSocket(socket, where, sent);
  return fetch(new URL(where, slashed(url)), { ...sent, redirect: 'error' });
}

/** A URL with a path keeps it: `https://host/backstep` is a folder. */
function slashed(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

/** Answers of these have no body, and a `Response` takes none. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Node's `fetch` asks hosts alone. */
function reachSocket(socketPath: string, where: string, sent: Sent): Promise<Response> {
  const { body, ...rest } = sent;
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new TypeError('the request failed', { cause }));
    // A connection of its own: what is kept open would keep this program waiting.
    const asked = request({ socketPath, path: `/${where}`, agent: false, ...rest }, (answer) => {
      const { headers, statusCode: status = 500 } = answer;
      const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        [value ?? []].flat().map((one) => [name, one]),
      );
      const content = BODILESS.has(status) ? null : (Readable.toWeb(answer) as ReadableStream);
      if (content === null) answer.resume();
      resolve(new Response(content, { status, headers: pairs }));
    });
    asked.on('error', fail);
    asked.end(body);
  });
}
