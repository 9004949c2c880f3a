import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

const NEW_LINE = 0x0a;

/** A line that was read. */
export interface ReadLine {
  readonly text: string;
  /** It was longer than lines may be: its end is missing. */
  readonly isCut: boolean;
  /** The stream ended before the line did. */
  readonly isOpen?: boolean;
}

/**
 * Reads the lines of a stream, a chunk with each turn of the loop: a program that writes without
 * end does not keep heartbeats from their turn. However long a line is, no more than `maxBytes` of
 * it are kept. Resolves at the end of the stream, or when it breaks off.
 */
export async function readLines(
  stream: Readable,
  maxBytes: number,
  take: (line: ReadLine) => void,
): Promise<void> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  const add = (piece: Buffer): void => {
    const kept = piece.subarray(0, maxBytes - bytes);
    isCut ||= kept.length < piece.length;
    if (kept.length > 0) pieces.push(kept);
    bytes += kept.length;
  };
  const end = (isOpen = false): void => {
    const text = textOf(Buffer.concat(pieces)).replace(/\r$/, '');
    take({ text, isCut, ...(isOpen && { isOpen }) });
    [pieces, bytes, isCut] = [[], 0, false];
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(NEW_LINE); at !== -1; at = chunk.indexOf(NEW_LINE, from)) {
      add(chunk.subarray(from, at));
      end();
      from = at + 1;
    }
    add(chunk.subarray(from));
    stream.pause();
    setImmediate(() => stream.resume());
  });
  await once(stream, 'close');
  if (bytes > 0 || isCut) end(true);
}

/**
 * The text of bytes. Where they are not UTF-8 it has halves of surrogate pairs, which JSON may not
 * have, and which are written as replacement characters.
 */
export function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return isUtf8(bytes) ? text : text.replaceAll('\ufffd', '\udcff');
}
