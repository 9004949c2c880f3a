import type { FailedOpening } from '../opening.js';
import { Database, IN_MEMORY, sqliteCode } from './database.js';
import { DamagedFile, isDamage, RESTORE } from './damaged-file.js';
import { expectNoOthers, expectNoPrograms } from './foreign-parts.js';
import { standInForLost } from './lost-progress.js';
import { expectOwnLog, hasLog, markLog } from './log-mark.js';
import { migrate } from './migrations.js';
import { takeBack } from './own-file.js';
import { expectSound } from './soundness.js';

/**
 * Opens a file for this process alone, recovers what a killed process left, and brings it to the
 * present form. The lock is SQLite's own and ends with the process, however it ends.
 */
export function openFile(file: string): Database {
  takeBack(file);
  const isLogged = hasLog(file);
  const db = Database.at(file);
  try {
    // Tasks under way lie side by side and are written together: half as many pages with twice the
    // room cost less. A file keeps the size that it was made with.
    db.execute('PRAGMA page_size = 8192');
    // Before the first access: then the log's index is in memory, and the lock is held from here
    // on.
    db.value('PRAGMA locking_mode = EXCLUSIVE');
    db.value('PRAGMA journal_mode = WAL');
    db.execute('PRAGMA synchronous = FULL');
    db.execute('PRAGMA cache_size = -32000');
    db.execute('PRAGMA temp_store = MEMORY');
    // The worker checkpoints by itself: an error while SQLite did it would go unnoticed.
    db.value('PRAGMA wal_autocheckpoint = 0');
    db.execute('BEGIN IMMEDIATE');
    db.execute('COMMIT');
    if (isLogged) expectOwnLog(db, file);
    expectNoPrograms(db);
    migrate(db);
    expectOwnParts(db);
    expectSound(db, file);
    markLog(db, file);
    standInForLost(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The file may have been handed over, with more in it than a store. */
function expectOwnParts(db: Database): void {
  const fresh = new Database(IN_MEMORY);
  try {
    migrate(fresh);
    expectNoOthers(db, fresh);
  } finally {
    fresh.close();
  }
}

const IN_USE =
  'another process, or another store of this one, has it open. Stop that one or use another file; ' +
  'processes that work together share a MongoDB, not a file.';

/**
 * The meaning of an error of {@link openFile}, and the end of a sentence that began with the file's
 * name.
 */
export function explainOpening(error: unknown): readonly [FailedOpening['kind'], string] {
  const code = sqliteCode(error);
  const message = error instanceof Error ? error.message : String(error);
  if (code.startsWith('SQLITE_BUSY')) {
    return ['busy', `is in use: ${IN_USE}`];
  }
  if (code === 'SQLITE_NOTADB') return ['foreign', 'is not a SQLite database.'];
  if (error instanceof Error && error.name === 'ForeignFile') return ['foreign', `${message}.`];
  if (error instanceof DamagedFile) return ['damaged', `${message}. ${RESTORE}`];
  if (isDamage(error)) return ['damaged', `is damaged: ${message}. ${RESTORE}`];
  return ['failed', `cannot be opened: ${message}.`];
}
