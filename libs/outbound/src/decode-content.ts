import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { BodyTooLarge } from './exchange.js';

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
