import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { Readable } from 'node:stream';
import type { ClientCertificate } from './client-certificate.js';

/** The parts of a request that the client of this command line uses. */
interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** Sends a request as `fetch` does, without following redirects. */
export type Fetching = (url: URL, init: Sent) => Promise<Response>;

/** Answers that have no body, which a `Response` insists on. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Makes a `fetch` that shows a certificate to whom it asks by TLS: Node's own one cannot. The
 * authorities that it believes are those of Node, and of `NODE_EXTRA_CA_CERTS`.
 */
export function certifiedFetch({ cert, key }: ClientCertificate): Fetching {
  const agent = new Agent({ cert, key, keepAlive: true });
  return (url, init) => {
    if (url.protocol !== 'https:') return fetch(url, { ...init, redirect: 'error' });
    const { body, headers, method, signal } = init;
    return new Promise((resolve, reject) => {
      const failed = (cause: Error): void => reject(new TypeError('fetch failed', { cause }));
      const sent = request(url, {
        agent,
        ...(method !== undefined && { method }),
        ...(headers !== undefined && { headers }),
        ...(signal !== undefined && { signal }),
      });
      sent.once('error', failed);
      sent.once('response', (answer) => {
        const { statusCode = 0 } = answer;
        if (isRedirect(statusCode)) {
          answer.destroy();
          return failed(new Error('unexpected redirect'));
        }
        resolve(responseOf(answer));
      });
      sent.end(body);
    });
  };
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

function responseOf(answer: IncomingMessage): Response {
  const { headers, statusCode: status = 0 } = answer;
  const known = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) known.append(name, one);
  }
  if (WITHOUT_BODY.has(status)) {
    answer.resume();
    return new Response(null, { status, headers: known });
  }
  const stream = Readable.toWeb(answer) as unknown as ReadableStream<Uint8Array>;
  return new Response(stream, { status, headers: known });
}
