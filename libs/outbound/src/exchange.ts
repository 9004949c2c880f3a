import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
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

/** Marks at the beginning of a text, which outdo what its header says. */
const MARKS: readonly (readonly [mark: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];

/** The signs of windows-1252 from 80 to 9F. */
const WINDOWS_SIGNS =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

type Decompress = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** Absent in Node before 22.15. */
const { zstdDecompress } = zlib as { readonly zstdDecompress?: typeof zlib.gunzip };

const inflate = promisify(zlib.inflate) as Decompress;
const inflateRaw = promisify(zlib.inflateRaw) as Decompress;
const gunzip = promisify(zlib.gunzip) as Decompress;

const DECOMPRESS: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  // Some servers leave out the header that belongs to it.
  ['deflate', (body, options) => (hasZlibHeader(body) ? inflate : inflateRaw)(body, options)],
  ['br', promisify(zlib.brotliDecompress)],
  ...(zstdDecompress === undefined
    ? []
    : ([['zstd', promisify(zstdDecompress) as Decompress]] as const)),
]);

/** Each takes memory and time; nobody applies more to one body. */
const CODINGS_MAX = 3;

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

/** Thrown where a body cannot be decoded. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
}

/**
 * The bytes of a body as they were before the codings of its `Content-Encoding`, at most `bodyMax`
 * of them after each. Throws `UnreadableBody` and `BodyTooLarge`.
 */
export async function decodeContent(
  body: Buffer,
  contentEncoding: string | undefined,
  bodyMax: number,
): Promise<Buffer> {
  // The answer to HEAD and a 304 name codings of a body that they do not have.
  if (body.length === 0 || contentEncoding === undefined) return body;
  const names = contentEncoding.split(',').map((name) => name.trim().toLowerCase());
  const codings = names.filter((name) => name !== '' && name !== 'identity');
  if (codings.length > CODINGS_MAX) {
    throw new UnreadableBody(`the body has more than ${CODINGS_MAX} content encodings`);
  }
  let decoded = body;
  for (const coding of codings.toReversed()) decoded = await decompress(decoded, coding, bodyMax);
  return decoded;
}

async function decompress(body: Buffer, coding: string, bodyMax: number): Promise<Buffer> {
  const decode = DECOMPRESS.get(coding);
  if (decode === undefined) {
    throw new UnreadableBody(`the body has the unknown content encoding ${JSON.stringify(coding)}`);
  }
  try {
    return await decode(body, { maxOutputLength: bodyMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new BodyTooLarge(`the body has more than ${bodyMax} bytes`);
    }
    const { message } = error as Error;
    throw new UnreadableBody(`the body is not valid ${coding}: ${message}`, { cause: error });
  }
}

function hasZlibHeader([first = 0, second = 0]: Buffer): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

/**
 * The text of a body, without its byte order mark: in the charset of that mark, else of its
 * `Content-Type`, else UTF-8; null: it has bytes that mean nothing there. Throws `UnreadableBody`
 * for a charset that is not known.
 */
export function bodyText(body: Buffer, contentType: string | undefined): string | null {
  const [, marked] = MARKS.find(([mark]) => mark.every((byte, n) => body[n] === byte)) ?? [];
  const charset = marked ?? charsetOf(contentType ?? '');
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    const text = decoder.decode(body);
    return decoder.encoding === 'windows-1252' ? withWindowsSigns(text) : text;
  } catch (error) {
    if (!(error instanceof RangeError)) return null;
    const name = JSON.stringify(charset);
    throw new UnreadableBody(`the body has the unknown charset ${name}`, { cause: error });
  }
}

function charsetOf(contentType: string): string {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*["']?([^"';,\s]+)/i.exec(contentType) ?? [];
  // So some servers say that a body is no text.
  return charset.toLowerCase() === 'binary' ? 'utf-8' : charset;
}

/** Node 20 decodes windows-1252 as ISO 8859-1, which has other signs there. */
function withWindowsSigns(text: string): string {
  return text.replaceAll(
    /[\u0080-\u009f]/g,
    (sign) => WINDOWS_SIGNS[sign.charCodeAt(0) - 0x80] ?? sign,
  );
}
