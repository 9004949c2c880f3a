import type { IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { IssuedCertificate } from './certificate-authority.js';

/** One request over TLS. */
interface TlsAsk {
  readonly url: string;
  /** The authorities that the listener is believed by. */
  readonly ca: Buffer;
  readonly path: string;
  readonly method?: string;
  /** The certificate that is shown. Default: none. */
  readonly shown?: Pick<IssuedCertificate, 'cert' | 'key'> | undefined;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
  /** Default: a connection of its own. */
  readonly agent?: Agent;
}

/** The whole answer to a request. */
export interface TlsAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** Its JSON; undefined: it is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request and returns its answer as soon as its headers are there. */
export function openTls(ask: TlsAsk): Promise<IncomingMessage> {
  const { agent, body, ca, headers, method = body ? 'POST' : 'GET', path, shown, token, url } = ask;
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), {
      method,
      ca,
      agent: agent ?? false,
      ...(shown !== undefined && { cert: shown.cert, key: shown.key }),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    sent.once('response', resolve).once('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

/** Sends a request and reads the whole answer. */
export async function askTls(ask: TlsAsk): Promise<TlsAnswer> {
  const answer = await openTls(ask);
  const said = await text(answer);
  const isJson = /json/.test(answer.headers['content-type'] ?? '');
  const body = (isJson ? JSON.parse(said) : {}) as TlsAnswer['body'];
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: said, body };
}
