import { Database, sqliteCode } from './worker/database.js';
import { ForeignFile } from './worker/foreign-file.js';
import { fitsLog, hasLog } from './worker/log-mark.js';
import { expectReadable } from './worker/migrations.js';
import { expectSound, isDamage } from './worker/soundness.js';

/** Files up to this size are examined whole: it takes seconds. */
const EXAMINED_BYTES = 1_024 * 1_024 * 1_024;

/** The state of the file of a store. */
interface FileState {
  /**
   * `partly`: nothing is wrong with what was looked at; the file is too large to look at it whole.
   * `busy`: a process has it open. `foreign`: it is no store that this version reads.
   */
  readonly kind: 'sound' | 'partly' | 'busy' | 'damaged' | 'failed' | 'foreign';
  /** For people; empty where nothing is wrong. Goes on after the name of a `foreign` file. */
  readonly message: string;
}

/** Looks at the file of a store, and changes nothing in it. */
export function examineStoreFile(file: string): FileState {
  return examine(file, expectReadable);
}

/** Looks at a file of SQLite that is there, and changes nothing in it. */
export function examineSqliteFile(file: string): FileState {
  return examine(file, () => {});
}

function examine(file: string, expectForm: (db: Database) => void): FileState {
  let db: Database | null = null;
  try {
    const isLogged = hasLog(file);
    db = new Database(file, { readonly: true });
    if (isLogged && !fitsLog(db, file)) {
      return { kind: 'damaged', message: 'it does not fit the log beside it (-wal)' };
    }
    expectForm(db);
    return { kind: expectSound(db, file, EXAMINED_BYTES) ? 'sound' : 'partly', message: '' };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (sqliteCode(error).startsWith('SQLITE_BUSY')) return { kind: 'busy', message };
    if (error instanceof ForeignFile) return { kind: 'foreign', message };
    return { kind: isDamage(error) ? 'damaged' : 'failed', message };
  } finally {
    db?.close();
  }
}
