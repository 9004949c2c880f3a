import { statSync } from 'node:fs';
import { Database, sqliteCode } from './database.js';
import { DamagedFile } from './soundness.js';
import { logOf, putAside } from './own-file.js';

/**
 * Gives the log a new mark. To be called while the log is empty: its first page then has the mark,
 * and names the one that the file has.
 */
export function moveMark(db: Database): void {
  db.execute('UPDATE log_mark SET before = mark, mark = hex(randomblob(8))');
}

/** Marks the log at the opening, unless it has a mark that the file has not. */
export function markLog(db: Database, file: string): void {
  if (markOfFile(file) === marksOf(db)?.mark) moveMark(db);
}

/**
 * Throws {@link DamagedFile} where the log beside the file is not its own: SQLite would mix both.
 * The file is then put aside until the worker has ended.
 */
export function expectOwnLog(db: Database, file: string): void {
  if (fitsLog(db, file)) return;
  putAside(file);
  throw new DamagedFile('does not fit the log beside it (-wal): one of them is of another time');
}

/**
 * Whether the log beside the file was written for this file in this state. After a backup was
 * copied over what a crash left, it was not.
 */
export function fitsLog(db: Database, file: string): boolean {
  const ofFile = markOfFile(file);
  const ofLog = marksOf(db);
  // A file that was made, or brought to this form, in the log alone has no mark yet.
  if (ofFile === null || ofLog === null) return true;
  return ofFile === ofLog.mark || ofFile === ofLog.before;
}

/** Whether a process that was killed left a log beside the file. */
export function hasLog(file: string): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return size > 0 && (statSync(logOf(file), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Null where it cannot be told: a crash may have left a part of the pages in the log alone. */
function markOfFile(file: string): string | null {
  let alone: Database | null = null;
  try {
    alone = Database.withoutLog(file);
    return marksOf(alone)?.mark ?? null;
  } catch (error) {
    if (sqliteCode(error) === '') throw error;
    return null;
  } finally {
    alone?.close();
  }
}

interface Marks {
  readonly mark: string;
  readonly before: string;
}

function marksOf(db: Database): Marks | null {
  const isThere = db.value("SELECT count(*) FROM sqlite_schema WHERE name = 'log_mark'");
  const row = isThere === 0 ? undefined : db.prepare('SELECT mark, before FROM log_mark').row([]);
  return row === undefined ? null : { mark: String(row[0]), before: String(row[1]) };
}
