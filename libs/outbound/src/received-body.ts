import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { BodyTooLarge } from './exchange.js';

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

/** Thrown where a body cannot be decoded. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
}

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
