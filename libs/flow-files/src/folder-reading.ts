import { constants } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { TEXT_START, type Problem, type ProblemCode } from './problem.js';
import { TEXT_LENGTH_MAX } from './read-json.js';

/** The result of reading one file: its text, or the problem. */
export type FileReading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly problem: Problem };

/** The result of reading a folder: its flow files by name, in order; or the problem. */
type FolderReading =
  | { readonly kind: 'files'; readonly files: ReadonlyMap<string, FileReading> }
  | { readonly kind: 'unreadable'; readonly problem: Problem };

/** Windows has neither of the two, which then count as nothing. */
const READ_AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads all flow files of a folder, not of folders inside it. Never throws. */
export async function readFlowFolder(folder: string): Promise<FolderReading> {
  const files = new Map<string, FileReading>();
  try {
    const home = await realpath(folder);
    const names = (await readdir(home)).filter(isFlowFileName).toSorted();
    for (const name of names) {
      const reading = await readFlowFile(home, name);
      if (reading !== null) files.set(name, reading);
    }
    return { kind: 'files', files };
  } catch (error) {
    const hint = 'Create the folder, or set BACKSTEP_FLOWS to the one that holds your flow files.';
    return unreadable('FOLDER_NOT_READABLE', `The folder ${reasonOf(error)}.`, hint);
  }
}

/**
 * Whether a file of a folder of flows is one. Editors' own files begin with a dot or end otherwise;
 * `<flow>.test.json` is for `flow test`.
 */
export function isFlowFileName(name: string): boolean {
  return !name.startsWith('.') && /(?<!\.test)\.jsonc?$/.test(name);
}

/**
 * Null: it is gone since the folder was listed, or is no file. A link may lead to another file of
 * the folder, as those of a mounted ConfigMap do, and nowhere else: what is wrong with a file is
 * shown with words of it, which would be words of any file this user may read.
 */
async function readFlowFile(home: string, name: string): Promise<FileReading | null> {
  try {
    const file = await realpath(join(home, name));
    if (!file.startsWith(home.endsWith(sep) ? home : home + sep)) {
      const hint = 'Put the file itself there, or link to a file in the folder.';
      const message = 'The file is a link that leads out of the folder, so it is not read.';
      return unreadable('FILE_OUTSIDE_FOLDER', message, hint);
    }
    return await readOrdinaryFile(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' && (await isLink(join(home, name)))) {
      const hint = 'Mend the link, or remove it.';
      return unreadable('FILE_NOT_READABLE', 'The file is a link to one that is not there.', hint);
    }
    // The second: a socket.
    if (['ENOENT', 'ENXIO'].includes(code)) return null;
    const hint = 'Let the user that Backstep runs as read it.';
    return unreadable('FILE_NOT_READABLE', `The file ${reasonOf(error)}.`, hint);
  }
}

/** Whether there is a link of this name, wherever it leads. */
async function isLink(place: string): Promise<boolean> {
  return lstat(place).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}

async function readOrdinaryFile(file: string): Promise<FileReading | null> {
  // Not followed, if it became a link just now, and not waited for, if it became a pipe.
  const handle = await open(file, READ_AS_IT_IS);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return null;
    // UTF-8 takes at most three bytes for a UTF-16 code unit.
    if (stats.size > TEXT_LENGTH_MAX * 3) {
      const hint = 'Spread the flows over several files.';
      return unreadable('FILE_TOO_LARGE', 'The file is too large to be read.', hint);
    }
    return decode(await handle.readFile());
  } finally {
    await handle.close();
  }
}

function decode(bytes: Uint8Array): FileReading {
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const hint = 'Save it as UTF-8 in your editor.';
    return unreadable('NOT_UTF8', 'The file is not UTF-8 text.', hint);
  }
}

function unreadable(code: ProblemCode, message: string, hint: string) {
  return { kind: 'unreadable', problem: { ...TEXT_START, code, message, hint } } as const;
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code);
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'must not be read by this user'],
  ['EPERM', 'must not be read by this user'],
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'is a file'],
]);

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return REASONS.get(code) ?? `cannot be read (${code})`;
}
