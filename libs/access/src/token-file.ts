import { closeSync, constants, fstatSync, linkSync, mkdirSync, openSync } from 'node:fs';
import { readFileSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isLocalToken, localTokenText } from './local-token.js';

/** The file of a token cannot be used; the message is a clause for people. */
export class UnfitTokenFile extends Error {
  override readonly name = 'UnfitTokenFile';
}

/** The bits of a file's mode by which others than its owner get at it. */
const BY_OTHERS = 0o077;
const FOR_OWNER = 0o600;
const FOLDER_MODE = 0o700;

/** Where the token of the processes of a data folder is. */
function tokenFileIn(folder: string): string {
  return path.join(folder, 'token');
}

/**
 * The token in the data folder of this process, which is made where there is none. One that is
 * there is kept, so that processes of one folder share it, and sessions outlive a start. `chance`:
 * 43 characters of base64url that were never given before. Throws `UnfitTokenFile` where others may
 * read or write the file, or have put it there.
 */
export function openTokenFile(folder: string, chance: string): string {
  const file = tokenFileIn(folder);
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  makeFile(file, chance);
  const text = readToken(file, { isOwn: true });
  if (text !== null) return text;
  throw new UnfitTokenFile(`${file} holds no token. Remove it, and a new one is made`);
}

/** The token of a data folder; null: there is none that this user may read. */
export function findToken(folder: string): string | null {
  try {
    return readToken(tokenFileIn(folder), { isOwn: false });
  } catch {
    return null;
  }
}

/** By a link, which takes nobody's place: of two processes that start at once, one makes it. */
function makeFile(file: string, chance: string): void {
  const made = `${file}.${chance.slice(0, 8)}`;
  writeFileSync(made, `${localTokenText(chance)}\n`, { mode: FOR_OWNER, flag: 'wx' });
  try {
    linkSync(made, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(made, { force: true });
  }
}

function readToken(file: string, { isOwn }: { readonly isOwn: boolean }): string | null {
  const opened = open(file);
  try {
    const found = fstatSync(opened);
    if (!found.isFile()) throw new UnfitTokenFile(`${file} is no file`);
    if (isOwn) expectPrivate(file, found);
    const text = readFileSync(opened, 'utf8').trim();
    return isLocalToken(text) ? text : null;
  } finally {
    closeSync(opened);
  }
}

/** A link may lead to a file that another user writes. */
function open(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new UnfitTokenFile(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function expectPrivate(file: string, { mode, uid }: Stats): void {
  const self = process.getuid?.();
  // A system without users in this sense has no such modes, either.
  if (self === undefined) return;
  const advice = 'Remove it, and a new one is made';
  if (uid !== self) throw new UnfitTokenFile(`${file} belongs to another user. ${advice}`);
  if ((mode & BY_OTHERS) !== 0) {
    throw new UnfitTokenFile(`others may read or write ${file}. ${advice}`);
  }
}
