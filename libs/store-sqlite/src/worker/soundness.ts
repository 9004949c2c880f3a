import { statSync } from 'node:fs';
import type { Database } from './database.js';
import { DamagedFile } from './damaged-file.js';

/** Files up to this size are checked whole when they are opened: it takes tenths of a second. */
const CHECKED_BYTES = 64 * 1_024 * 1_024;

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
