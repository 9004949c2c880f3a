import { createReadStream, type Dirent } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

// tar-stream would bring 13 packages to every installation, to a program that handles backups. The
// checks would stay here: plain files only, names that stay in the folder, a disk that keeps all.

/** A tar file is made of blocks of this size. */
const BLOCK = 512;
/** Octal digits that a size has room for; larger ones are written in another way. */
const OCTAL_MAX = 8 ** 11;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;

/** A stream is no tar file of plain files, or ends too early. */
export class TarDamaged extends Error {
  override readonly name = 'TarDamaged';
}

/** The files of a folder, and of all folders in it, as the bytes of a tar file. */
export async function* packTar(folder: string): AsyncGenerator<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const file of entries.filter((entry) => entry.isFile()).map(placeOf)) {
    const { size } = await stat(file);
    yield headerOf(path.relative(folder, file), size);
    // Bytes that a file gains meanwhile are not announced.
    if (size > 0) for await (const part of createReadStream(file, { end: size - 1 })) yield part;
    yield Buffer.alloc(paddingOf(size));
  }
  yield Buffer.alloc(2 * BLOCK);
}

function placeOf({ name, parentPath }: Dirent): string {
  return path.join(parentPath, name);
}

/**
 * Writes the files of a tar file into a folder, for this user alone, and has the disk keep them.
 * Reads to the end. Throws `TarDamaged` where the stream is no such file or ends too early.
 */
export async function unpackTar(stream: AsyncIterable<Uint8Array>, folder: string): Promise<void> {
  const reader = new BlockReader(stream);
  for (;;) {
    const header = await reader.take(BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const { name, size } = readHeader(header);
    const file = placeIn(folder, name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, 'wx', 0o600);
    try {
      for (let left = size; left > 0;) {
        const part = await reader.takeSome(left);
        await handle.writeFile(part);
        left -= part.length;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await reader.take(paddingOf(size));
  }
  await reader.drain();
}

/** Names lead into the folder and nowhere else. */
function placeIn(folder: string, name: string): string {
  const file = path.resolve(folder, name);
  const inside = path.relative(folder, file);
  if (inside === '' || inside.startsWith('..') || path.isAbsolute(inside)) {
    throw new TarDamaged(`the name ${JSON.stringify(name)} leads out of the folder`);
  }
  return file;
}

function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function headerOf(relative: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const { name, prefix } = splitName(relative.split(path.sep).join('/'));
  header.write(name, 0);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.set(sizeField(size), 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar', 257);
  header.write('00', 263);
  header.write(prefix, 345);
  header.write(`${octal(sumOf(header), 6)}\0 `, 148);
  return header;
}

function splitName(whole: string): { readonly name: string; readonly prefix: string } {
  if (Buffer.byteLength(whole) <= NAME_BYTES) return { name: whole, prefix: '' };
  for (let at = whole.indexOf('/'); at >= 0; at = whole.indexOf('/', at + 1)) {
    const [prefix, name] = [whole.slice(0, at), whole.slice(at + 1)];
    if (Buffer.byteLength(name) > NAME_BYTES) continue;
    if (Buffer.byteLength(prefix) <= PREFIX_BYTES) return { name, prefix };
  }
  throw new RangeError(`the name ${whole} is too long for a tar file`);
}

/** Octal digits, or where these are too few, a number with its first bit set. */
function sizeField(size: number): Buffer {
  if (size < OCTAL_MAX) return Buffer.from(`${octal(size, 11)}\0`);
  const field = Buffer.alloc(12);
  field.writeBigUInt64BE(BigInt(size), 4);
  field[0] = 0x80;
  return field;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function sumOf(header: Uint8Array): number {
  return header.reduce((sum, byte) => sum + byte, 0);
}

function readHeader(header: Buffer): { readonly name: string; readonly size: number } {
  const textAt = (from: number, length: number): string => {
    const field = header.subarray(from, from + length);
    const end = field.indexOf(0);
    return field.subarray(0, end < 0 ? length : end).toString('utf8');
  };
  const blank = Buffer.from(header);
  blank.fill(' ', 148, 156);
  const isFile = textAt(156, 1) === '0' && textAt(257, 5) === 'ustar';
  if (!isFile || Number.parseInt(textAt(148, 8), 8) !== sumOf(blank)) {
    throw new TarDamaged('it is no tar file of plain files');
  }
  const prefix = textAt(345, PREFIX_BYTES);
  const name = `${prefix === '' ? '' : `${prefix}/`}${textAt(0, NAME_BYTES)}`;
  const isOctal = header[124]! < 0x80;
  const size = isOctal ? Number.parseInt(textAt(124, 12), 8) : Number(header.readBigUInt64BE(128));
  if (!Number.isSafeInteger(size)) throw new TarDamaged(`the size of ${name} cannot be read`);
  return { name, size };
}

/** Reads a stream in pieces of wanted lengths. */
class BlockReader {
  readonly #parts: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#parts = stream[Symbol.asyncIterator]();
  }

  /** Exactly this number of bytes. */
  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = length; left > 0;) {
      const part = await this.takeSome(left);
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }

  /** At least one byte, and at most this number. */
  async takeSome(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#parts.next();
      if (done === true) throw new TarDamaged('it ends too early');
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  async drain(): Promise<void> {
    for (;;) {
      const { done } = await this.#parts.next();
      if (done === true) return;
    }
  }
}
