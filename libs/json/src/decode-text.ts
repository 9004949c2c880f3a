import { isUtf8 } from 'node:buffer';
import { type JsonFaultCode, WrongJson } from './wrong-json.js';

/** The text of bytes, without a byte order mark. Throws `WrongJson` where they are not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw aboutAll('NOT_UTF8', 'The text is not UTF-8.');
  return decoded(bytes);
}

/** The bytes of a file are no text in UTF-8; `code` says what they are, like a system error's. */
export class NotUtf8 extends Error {
  override readonly name = 'NotUtf8';

  constructor(readonly code: string) {
    super(code);
  }
}

/**
 * The text of a file that people write, without a byte order mark. Throws `NotUtf8`: a file in
 * another encoding would be read as one that says nothing.
 */
export function fileText(bytes: Uint8Array): string {
  if (isUtf16(bytes)) throw new NotUtf8('it is UTF-16 text: save it as UTF-8');
  if (!isUtf8(bytes)) throw new NotUtf8('it is not UTF-8 text');
  return decoded(bytes);
}

/** The text of bytes that are UTF-8. */
function decoded(bytes: Uint8Array): string {
  const { buffer, byteLength, byteOffset } = bytes;
  const own = Buffer.isBuffer(bytes) ? bytes : Buffer.from(buffer, byteOffset, byteLength);
  return unmarked(own.toString('utf8'));
}

/** By its byte order mark, or by the half of its first character that is empty. */
function isUtf16([first, second]: Uint8Array): boolean {
  if (first === undefined || second === undefined) return false;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || (first === 0) !== (second === 0);
}

/** The text of a source of at most this number of bytes. Throws `WrongJson`. */
export function textOf(source: string | Uint8Array, bytesMax: number): string {
  const isText = typeof source === 'string';
  // A text has at least as many bytes as characters: most are counted only once.
  const bytes = isText && source.length <= bytesMax ? Buffer.byteLength(source) : source.length;
  if (bytes > bytesMax) {
    throw aboutAll('TOO_LARGE', `The text is larger than ${bytesMax} bytes.`);
  }
  return isText ? unmarked(source) : decodeText(source);
}

/** A text without the byte order mark before it, if it has one. */
export function unmarked(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The error for a text without a place. */
export function aboutAll(code: JsonFaultCode, sentence: string): WrongJson {
  return new WrongJson({ code, pointer: '', place: null, sentence, hint: null });
}

/** The body of an answer. Rejects where it has more bytes than may be. */
export async function bytesOf({ body }: Response, max: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > max) throw new Error(`the answer has more than ${max} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
