import { statSync } from 'node:fs';
import { type Database, sqliteCode } from './database.js';

/** Files up to this size are checked whole when they are opened: it takes tenths of a second. */
const CHECKED_BYTES = 64 * 1_024 * 1_024;

/** The remedy, as a sentence for people. */
export const RESTORE =
  'Stop the process, empty the folder of the store, and restore a backup into it.';

/** Codes that say of the content of a file, and not of the disk, that it cannot be used. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/;

/**
 * Throws {@link DamagedFile} where pages of the file are damaged. A file of more bytes than `most`
 * is not looked at: its pages are found out when they are read. Returns whether it was looked at.
 */
export function expectSound(db: Database, file: string, most = CHECKED_BYTES): boolean {
  // Read in any case: a file that is no database, or is in use, is found out by that.
  db.value('SELECT count(*) FROM sqlite_schema');
  if (statSync(file).size > most) return false;
  const found = String(db.value('PRAGMA quick_check(1)'));
  if (found !== 'ok') throw new DamagedFile(`is damaged: ${found.split('\n').join(' ')}`);
  return true;
}

/** The file cannot be used as it is; the message goes on after the file's name. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}

/** Whether an error says that the content of the file is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof DamagedFile || DAMAGED.test(sqliteCode(error));
}
