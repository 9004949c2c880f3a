import { sqliteCode } from './database.js';

/** The file cannot be used as it is; the message goes on after the file's name. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}

/** The remedy, as a sentence for people. */
export const RESTORE =
  'Stop the process, empty the folder of the store, and restore a backup into it.';

/** Codes that say of the content of a file, and not of the disk, that it cannot be used. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/;

/** Whether an error says that the content of the file is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof DamagedFile || DAMAGED.test(sqliteCode(error));
}
