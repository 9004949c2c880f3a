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
  /** Whether the body of an answer with this status is read; else it counts as empty. */
  readonly readsBody: (status: number) => boolean;
  /** Called once there is a connection, over which the request goes. */
  readonly onConnected: () => void;
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
    outgoing.on('socket', (socket) => {
      const isSecure = sent.url.protocol === 'https:';
      socket.once(isSecure ? 'secureConnect' : 'connect', options.onConnected);
    });
    outgoing.on('response', (incoming) => {
      // From here on the answer says itself that it broke off; bytes after it are no part of it.
      outgoing.off('error', reject).on('error', () => undefined);
      receive(incoming, options)
        .then(resolve, reject)
        .finally(() => outgoing.destroy());
    });
    outgoing.end(body ?? undefined);
  });
};

function lengthOf(body: string | null): Record<string, string> {
  return body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

async function receive(
  incoming: http.IncomingMessage,
  { bodyMax, readsBody }: ExchangeOptions,
): Promise<Received> {
  const headers = Object.entries(incoming.headersDistinct).map(([name, values = []]) => {
    return [name, values.join(', ')] as const;
  });
  const status = incoming.statusCode ?? 0;
  const body = readsBody(status) ? await bodyOf(incoming, bodyMax) : Buffer.alloc(0);
  return { status, headers: Object.fromEntries(headers), body };
}

async function bodyOf(incoming: http.IncomingMessage, bodyMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bodyMax) throw new BodyTooLarge(`the body has more than ${bodyMax} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    // Of an answer that ends too early Node says no more than "aborted".
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    throw new Error(`the connection was closed after ${size} bytes of the body`, { cause: error });
  }
  return Buffer.concat(chunks);
}
