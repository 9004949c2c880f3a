import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readJson, WrongJson } from '#json';

/** Name of the manifest in the folder of an archive. */
export const MANIFEST = 'manifest.jsonl';

/** The manifest's entry of one file of an archive. */
export interface ManifestEntry {
  /** Format of archives. */
  readonly v: 1;
  /** Path in the folder, with slashes. */
  readonly file: string;
  /** Lines of the file. */
  readonly tasks: number;
  /** Of the compressed file. */
  readonly bytes: number;
  /** Of the compressed file, in hexadecimal digits. */
  readonly sha256: string;
  /** The earliest and the latest end among its tasks, in ISO 8601. */
  readonly firstEnded: string;
  readonly lastEnded: string;
  /** When and by which version it was written. */
  readonly writtenAt: string;
  readonly writtenBy: string;
}

/**
 * Adds an entry, durably. One line for each file: several processes may write into one folder, and
 * what a crash tore off is no entry.
 */
export async function addEntry(folder: string, entry: ManifestEntry): Promise<void> {
  const file = await open(path.join(folder, MANIFEST), 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isTorn = size > 0 && last[0] !== NEWLINE;
    await file.appendFile(`${isTorn ? '\n' : ''}${JSON.stringify(entry)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

const NEWLINE = 10;

/** Makes a folder an archive, of nothing so far; one that is an archive stays as it is. */
export async function beginManifest(folder: string): Promise<void> {
  const file = await open(path.join(folder, MANIFEST), 'a', 0o600);
  await file.close();
}

/** The entries of a folder, in the order in which they were written; null: it is no archive. */
export async function readManifest(folder: string): Promise<readonly ManifestEntry[] | null> {
  let text: string;
  try {
    text = await readFile(path.join(folder, MANIFEST), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return text.split('\n').flatMap((line) => readEntry(line) ?? []);
}

const ENTRY_BYTES_MAX = 65_536;

/** A line that is no entry was torn off by a crash: its file counts as never written. */
function readEntry(line: string): ManifestEntry | null {
  try {
    const entry = readJson(line, { bytes: ENTRY_BYTES_MAX }) as Partial<ManifestEntry> | null;
    const isOne = typeof entry?.file === 'string' && typeof entry.sha256 === 'string';
    return isOne && isInside(entry.file) ? (entry as ManifestEntry) : null;
  } catch (error) {
    if (error instanceof WrongJson) return null;
    throw error;
  }
}

/** An archive may come from anywhere: its entries name nothing outside of it. */
function isInside(file: string): boolean {
  return /^[\w.-]+(\/[\w.-]+)*$/.test(file) && !file.split('/').includes('..');
}
