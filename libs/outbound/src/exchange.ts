import http from 'node:http';
import https from 'node:https';
import { lookupAmong } from './checked-resolver.js';

/** One request as it goes out. */
export interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: none. */
  readonly body: string | null;
}

/** Its answer. */
export interface Received {
  readonly status: number;
  /** By names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Sends one request to one of the addresses that it may be sent to, and reads the answer. */
export type Exchange = (sent: Sent, options: ExchangeOptions) => Promise<Received>;

/** How a request is sent. */
interface ExchangeOptions {
  /** The only addresses that may be connected to. */
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
  /** Bytes of a body; more are not read. */
  readonly bodyMax: number;
}

/** Thrown where an answer's body is larger than it may be. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/**
 * Sends one request over a connection of its own, to one of these addresses, past any proxy, and
 * reads the answer. Follows nothing. Throws `BodyTooLarge`, the signal's reason, or what Node
 * throws.
 */
export const exchange: Exchange = (sent, options) => {
  const { request } = sent.url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const { method, url, headers, body } = sent;
    const lookup = lookupAmong(options.addresses);
    const outgoing = request(url, {
      agent: false,
      headers: { ...headers, ...lengthOf(body) },
      lookup,
      method,
      signal: options.signal,
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      receive(incoming, options.bodyMax).then(resolve, (error: Error) => {
        outgoing.destroy();
        reject(error);
      });
    });
    outgoing.end(body ?? undefined);
  });
};

function lengthOf(body: string | null): Record<string, string> {
  return body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

async function receive(incoming: http.IncomingMessage, bodyMax: number): Promise<Received> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyMax) throw new BodyTooLarge(`the body has more than ${bodyMax} bytes`);
    chunks.push(chunk);
  }
  const headers = Object.entries(incoming.headersDistinct).map(([name, values = []]) => {
    return [name, values.join(', ')] as const;
  });
  const status = incoming.statusCode ?? 0;
  return { status, headers: Object.fromEntries(headers), body: Buffer.concat(chunks) };
}
