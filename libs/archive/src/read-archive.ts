import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { decodeText, readJson, WrongJson } from '#json';
import { type ManifestEntry, readManifest } from './manifest.js';

const expand = promisify(gunzip);

/** Most bytes of one file when it is expanded: far more than retention ever writes into one. */
const EXPANDED_MAX = 1_073_741_824;

/** Most bytes of one line: far more than the largest task has. */
const LINE_BYTES_MAX = 67_108_864;

/** A line of an archive. */
export interface ArchivedLine {
  /** Path of its file in the archive, and its number there, from 1 on. */
  readonly file: string;
  readonly line: number;
  /** The content of the line, as JSON. */
  readonly value: unknown;
}

/** The archive is not what its manifest says, or there is none. The message names what is wrong. */
export class ArchiveDamaged extends Error {
  override readonly name = 'ArchiveDamaged';
}

/**
 * The lines of an archive, file by file, each of which is checked against the manifest before the
 * first of its lines is given. Throws `ArchiveDamaged`.
 */
export async function* readArchive(folder: string): AsyncGenerator<readonly ArchivedLine[]> {
  const entries = await readManifest(folder);
  if (entries === null) throw new ArchiveDamaged(`${folder} has no manifest of an archive`);
  for (const entry of entries) yield await readFileOf(folder, entry);
}

async function readFileOf(folder: string, entry: ManifestEntry): Promise<readonly ArchivedLine[]> {
  const { file } = entry;
  const content = await readFile(path.join(folder, file)).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new ArchiveDamaged(`${file} cannot be read: ${code}`);
  });
  if (hash('sha256', content, 'hex') !== entry.sha256) {
    throw new ArchiveDamaged(`${file} is not what the manifest says: it was changed or cut short`);
  }
  const text = await expand(content, { maxOutputLength: EXPANDED_MAX }).catch(() => {
    throw new ArchiveDamaged(`${file} cannot be expanded`);
  });
  const lines = decode(text, file).split('\n').slice(0, -1);
  if (lines.length !== entry.tasks) {
    throw new ArchiveDamaged(`${file} has ${lines.length} lines, the manifest says ${entry.tasks}`);
  }
  return lines.map((line, n) => ({ file, line: n + 1, value: parse(line, `${file}:${n + 1}`) }));
}

function parse(line: string, place: string): unknown {
  try {
    return readJson(line, { bytes: LINE_BYTES_MAX, isOwn: true });
  } catch (error) {
    if (!(error instanceof WrongJson)) throw error;
    throw new ArchiveDamaged(
      error.isNotJson ? `${place} is not JSON` : `${place}: ${error.sentence}`,
    );
  }
}

function decode(bytes: Buffer, file: string): string {
  try {
    return decodeText(bytes);
  } catch (error) {
    throw error instanceof WrongJson ? new ArchiveDamaged(`${file} is not UTF-8`) : error;
  }
}
