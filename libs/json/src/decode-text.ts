import { isUtf8 } from 'node:buffer';
import { type JsonFaultCode, WrongJson } from './wrong-json.js';

/** The text of bytes, without a byte order mark. Throws `WrongJson` where they are not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw aboutAll('NOT_UTF8', 'The text is not UTF-8.');
  const { buffer, byteLength, byteOffset } = bytes;
  return unmarked(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
}

/** The text of a source of at most so many bytes. Throws `WrongJson`. */
export function textOf(source: string | Uint8Array, bytesMax: number): string {
  const isText = typeof source === 'string';
  // A text has at least as many bytes as characters: most are counted only once.
  const bytes = isText && source.length <= bytesMax ? Buffer.byteLength(source) : source.length;
  if (bytes > bytesMax) {
    throw aboutAll('TOO_LARGE', `The text is larger than ${bytesMax} bytes.`);
  }
  return isText ? unmarked(source) : decodeText(source);
}

function unmarked(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The error for a text of which no place is meant. */
export function aboutAll(code: JsonFaultCode, sentence: string): WrongJson {
  return new WrongJson({ code, pointer: '', place: null, sentence, hint: null });
}
