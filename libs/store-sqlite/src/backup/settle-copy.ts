import { closeSync, fsyncSync, openSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { StoreDamaged } from '#ports';
import { Database, sqliteCode } from '../worker/database.js';
import { fitsLog, hasLog } from '../worker/log-mark.js';
import { expectSound } from '../worker/soundness.js';
import { isBeside, STORE_NAME } from './side-files.js';

/** A checked copy. */
export interface SettledCopy {
  /** Files in the folder and all below it. */
  readonly files: number;
  readonly bytes: number;
  /** Tasks in the store of the copy. */
  readonly tasks: number;
}

/**
 * Moves the log of each database of a copy into it, checks all pages, and has the disk keep all
 * files. Throws `StoreDamaged` where a database is damaged, or the copy has no store.
 */
export function settleCopy(folder: string): SettledCopy {
  const files = filesBelow(folder);
  let tasks: number | null = null;
  for (const file of files.filter((name) => path.dirname(name) === folder && !isBeside(name))) {
    const found = settle(file);
    if (path.basename(file) === STORE_NAME) tasks = found;
  }
  if (tasks === null) throw new StoreDamaged('The copy has no store.');
  const kept = filesBelow(folder);
  for (const file of kept) sync(file);
  sync(folder);
  const bytes = kept.reduce((sum, file) => sum + statSync(file).size, 0);
  return { files: kept.length, bytes, tasks };
}

/** Returns how many tasks the file has; null where it is no store. */
function settle(file: string): number | null {
  const isLogged = hasLog(file);
  const db = new Database(file);
  try {
    const isStore = path.basename(file) === STORE_NAME;
    if (isLogged && isStore && !fitsLog(db, file)) throw new Error('its log is of another time');
    // Without a log there is none that a copy of the files could miss. A process begins one
    // again.
    db.value('PRAGMA journal_mode = DELETE');
    expectSound(db, file, Infinity);
    return isStore ? Number(db.value('SELECT count(*) FROM task')) : null;
  } catch (error) {
    if (sqliteCode(error) === 'SQLITE_NOTADB') return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreDamaged(`${path.basename(file)} of the copy is damaged: ${reason}.`);
  } finally {
    db.close();
  }
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

function sync(place: string): void {
  const handle = openSync(place, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
